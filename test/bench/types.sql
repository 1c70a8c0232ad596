-- types.sql: groupings of numerics, times in a zone and by the hour, DISTINCT, functions of strings and
-- grouping sets, over types_gen.sql's tables.  @check names the column sums by which
-- answers are compared, @rows the table that is read where that is not sales.

-- @id q1  @check sum(sum_qty), sum(sum_base_price), sum(sum_disc_price), sum(sum_charge), sum(avg_qty), sum(avg_price), sum(avg_disc), sum(count_order)
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc,
count(*) AS count_order FROM sales WHERE l_shipdate <= date '1998-09-02'
GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus;

-- @id q6  @check sum(revenue)
SELECT sum(l_extendedprice * l_discount) AS revenue FROM sales
WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01'
AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24;

-- @id qdistinct  @check sum(shop), sum(buyers)
SELECT shop, count(DISTINCT buyer) AS buyers FROM sales GROUP BY shop;

-- @id qdistinct4  @check sum(shop), sum(items)
SELECT shop, count(DISTINCT item) AS items FROM sales GROUP BY shop;

-- @id qdistinct2  @check sum(shop), sum(buyers), sum(items), sum(regions)
SELECT shop, count(DISTINCT buyer) AS buyers, count(DISTINCT item) AS items, sum(region) AS regions
FROM sales GROUP BY shop;

-- @id qdistinctv  @rows visits  @check sum(shop), sum(buyers)
SELECT shop, count(DISTINCT buyer) AS buyers FROM visits GROUP BY shop;

-- @id qdistinctall  @check sum(buyers)
SELECT count(DISTINCT buyer) AS buyers FROM sales;

-- @id qzone  @check sum(revenue), count(day)
SELECT date_trunc('day', sold AT TIME ZONE 'Europe/Berlin') AS day, sum(l_extendedprice) AS revenue
FROM sales GROUP BY date_trunc('day', sold AT TIME ZONE 'Europe/Berlin');

-- @id qhour  @check sum(revenue), count(hour)
SELECT date_trunc('hour', sold) AS hour, sum(l_extendedprice) AS revenue FROM sales
GROUP BY date_trunc('hour', sold);

-- @id qphrase  @check sum(length(phrase)), sum(n)
SELECT phrase, count(*) AS n FROM sales GROUP BY phrase;

-- @id qlower  @check sum(length(p)), sum(n)
SELECT lower(phrase) AS p, count(*) AS n FROM sales GROUP BY lower(phrase);

-- @id qfinest  @check sum(region), sum(channel), count(day), sum(revenue), sum(n)
SELECT region, channel, day, sum(l_extendedprice) AS revenue, count(*) AS n FROM sales
GROUP BY region, channel, day;

-- @id qrollup  @check sum(region), sum(channel), count(day), sum(revenue), sum(n)
SELECT region, channel, day, sum(l_extendedprice) AS revenue, count(*) AS n FROM sales
GROUP BY ROLLUP (region, channel, day);
