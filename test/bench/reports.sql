-- reports.sql: reports as people and their tools ask them of a shop's tables
-- (reports_gen.sql): revenue by day, buyers by month, baskets, cohorts, funnels, medians,
-- panels of Grafana, what Tableau, Metabase, Superset and Power BI generate.
-- @check names the column sums by which answers are compared.

-- @id 1  @check sum(hashtext(ans::text)::int8)
-- revenue by day in the shop's zone
SELECT (ordered_at AT TIME ZONE 'Europe/Berlin')::date AS day, sum(total) AS revenue, count(*) AS orders FROM
orders WHERE status IN ('paid','shipped','delivered') GROUP BY 1 ORDER BY 1;

-- @id 2  @check sum(hashtext(ans::text)::int8)
-- revenue by month
SELECT date_trunc('month', ordered_at) AS month, sum(total), avg(total), count(DISTINCT customer_id) AS buyers
FROM orders WHERE status <> 'cancelled' GROUP BY 1 ORDER BY 1;

-- @id 3  @check sum(hashtext(ans::text)::int8)
-- last 30 days
SELECT date_trunc('day', ordered_at) AS d, sum(total + coalesce(shipping, 0)) FROM orders WHERE ordered_at >=
timestamptz '2025-12-31' - interval '30 days' GROUP BY 1 ORDER BY 1;

-- @id 4  @check sum(hashtext(ans::text)::int8)
-- now() window
SELECT date_trunc('hour', ordered_at), count(*) FROM orders WHERE ordered_at >= now() - interval '10 years'
AND ordered_at < now() GROUP BY 1;

-- @id 5  @check sum(hashtext(ans::text)::int8)
-- status mix
SELECT status, count(*), round(100.0 * count(*) / sum(count(*)) OVER (), 2) AS pct FROM orders GROUP BY status
ORDER BY count(*) DESC;

-- @id 6  @check sum(hashtext(ans::text)::int8)
-- average order value by channel
SELECT channel, sum(total) / count(*) AS aov, round(avg(total), 2), sum(total) FILTER (WHERE coupon IS NOT
NULL) AS with_coupon FROM orders GROUP BY channel;

-- @id 7  @check sum(hashtext(ans::text)::int8)
-- conversion of currency
SELECT currency, sum(CASE currency WHEN 'USD' THEN total WHEN 'EUR' THEN total * 1.08 ELSE total * 1.27 END)
FROM orders GROUP BY currency;

-- @id 8  @check sum(hashtext(ans::text)::int8)
-- buyers per month by country
SELECT c.country, date_trunc('month', o.ordered_at) AS m, count(DISTINCT o.customer_id) FROM orders o JOIN
customers c ON c.id = o.customer_id GROUP BY 1, 2 ORDER BY 1, 2;

-- @id 9  @check sum(hashtext(ans::text)::int8)
-- revenue by region
SELECT r.region, extract(year FROM o.ordered_at) AS y, sum(o.total) FROM orders o JOIN customers c ON c.id =
o.customer_id JOIN countries r ON r.code = c.country GROUP BY 1, 2 ORDER BY 1, 2;

-- @id 10  @check sum(hashtext(ans::text)::int8)
-- top customers
SELECT c.id, c.email, sum(o.total) AS spent FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY
c.id, c.email ORDER BY spent DESC, c.id LIMIT 20;

-- @id 11  @check sum(hashtext(ans::text)::int8)
-- top customers by primary key alone
SELECT c.id, c.email, c.plan, sum(o.total) AS spent FROM customers c JOIN orders o ON o.customer_id = c.id
GROUP BY c.id ORDER BY spent DESC, c.id LIMIT 20;

-- @id 12  @check sum(hashtext(ans::text)::int8)
-- top products
SELECT p.name, sum(i.quantity) AS sold, sum(i.quantity * i.unit_price * (1 - i.discount)) AS revenue FROM
order_items i JOIN products p ON p.id = i.product_id GROUP BY p.name ORDER BY revenue DESC, p.name LIMIT 10;

-- @id 13  @check sum(hashtext(ans::text)::int8)
-- margin by category
SELECT p.category, sum(i.quantity * (i.unit_price - p.cost)) AS margin, sum(i.quantity * (i.unit_price -
p.cost)) / nullif(sum(i.quantity * i.unit_price), 0) AS rate FROM order_items i JOIN products p ON p.id =
i.product_id GROUP BY p.category;

-- @id 14  @check sum(hashtext(ans::text)::int8)
-- basket size
SELECT n, count(*) FROM (SELECT order_id, count(*) AS n FROM order_items GROUP BY order_id) q GROUP BY n ORDER
BY n;

-- @id 15  @check sum(hashtext(ans::text)::int8)
-- median order value
SELECT channel, percentile_cont(0.5) WITHIN GROUP (ORDER BY total) AS median, percentile_cont(ARRAY[0.25,
0.75]) WITHIN GROUP (ORDER BY total) FROM orders GROUP BY channel;

-- @id 16  @check sum(hashtext(ans::text)::int8)
-- mode of coupon
SELECT date_trunc('quarter', ordered_at), mode() WITHIN GROUP (ORDER BY coupon) FROM orders GROUP BY 1;

-- @id 17  @check sum(hashtext(ans::text)::int8)
-- delivery time
SELECT channel, avg(shipped_at - ordered_at), max(shipped_at - ordered_at), min(shipped_at) FROM orders WHERE
shipped_at IS NOT NULL GROUP BY channel;

-- @id 18  @check sum(hashtext(ans::text)::int8)
-- delivery time in days
SELECT channel, avg(extract(epoch FROM shipped_at - ordered_at) / 86400) FROM orders GROUP BY channel;

-- @id 19  @check sum(hashtext(ans::text)::int8)
-- late deliveries
SELECT channel, count(*) FILTER (WHERE shipped_at > ordered_at + interval '5 days') * 100.0 / count(*) AS
late_pct FROM orders GROUP BY channel;

-- @id 20  @check sum(hashtext(ans::text)::int8)
-- weekday by hour heat map
SELECT extract(dow FROM ordered_at) AS dow, extract(hour FROM ordered_at) AS h, count(*) FROM orders GROUP BY
1, 2;

-- @id 21  @check sum(hashtext(ans::text)::int8)
-- iso week
SELECT to_char(ordered_at, 'IYYY-IW') AS week, count(*), sum(total) FROM orders GROUP BY 1 ORDER BY 1;

-- @id 22  @check sum(hashtext(ans::text)::int8)
-- year over year
SELECT m, sum(CASE WHEN y = 2025 THEN t END) AS now, sum(CASE WHEN y = 2024 THEN t END) AS before FROM (SELECT
extract(month FROM ordered_at) AS m, extract(year FROM ordered_at) AS y, total AS t FROM orders) q GROUP BY m
ORDER BY m;

-- @id 23  @check sum(hashtext(ans::text)::int8)
-- moving average
SELECT d, revenue, avg(revenue) OVER (ORDER BY d ROWS 6 PRECEDING) FROM (SELECT ordered_at::date AS d,
sum(total) AS revenue FROM orders GROUP BY 1) q;

-- @id 24  @check sum(hashtext(ans::text)::int8)
-- running total
SELECT d, sum(sum(total)) OVER (ORDER BY d) FROM (SELECT ordered_at::date AS d, total FROM orders) q GROUP BY
d;

-- @id 25  @check sum(hashtext(ans::text)::int8)
-- days without orders
SELECT g::date, coalesce(n, 0) FROM generate_series(timestamptz '2024-01-01', '2025-12-31', '1 day') g LEFT
JOIN (SELECT date_trunc('day', ordered_at) AS d, count(*) AS n FROM orders GROUP BY 1) q ON q.d = g;

-- @id 26  @check sum(hashtext(ans::text)::int8)
-- left join with count
SELECT c.country, count(o.id), sum(o.total) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND
o.status = 'delivered' GROUP BY c.country;

-- @id 27  @check sum(hashtext(ans::text)::int8)
-- customers without orders
SELECT country, count(*) FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
GROUP BY country;

-- @id 28  @check sum(hashtext(ans::text)::int8)
-- first orders by month
SELECT date_trunc('month', first) AS m, count(*) FROM (SELECT customer_id, min(ordered_at) AS first FROM
orders GROUP BY customer_id) q GROUP BY 1 ORDER BY 1;

-- @id 29  @check sum(hashtext(ans::text)::int8)
-- cohort retention
WITH cohort AS (SELECT customer_id, date_trunc('month', min(ordered_at)) AS c FROM orders GROUP BY 1) SELECT
c, date_trunc('month', o.ordered_at) AS m, count(DISTINCT o.customer_id) FROM orders o JOIN cohort USING
(customer_id) GROUP BY 1, 2 ORDER BY 1, 2;

-- @id 30  @check sum(hashtext(ans::text)::int8)
-- cohort by month number
WITH cohort AS (SELECT customer_id, min(ordered_at::date) AS c FROM orders GROUP BY 1) SELECT
date_trunc('month', c) AS cohort, (o.ordered_at::date - c) / 30 AS n, count(DISTINCT o.customer_id),
sum(o.total) FROM orders o JOIN cohort USING (customer_id) GROUP BY 1, 2;

-- @id 31  @check sum(hashtext(ans::text)::int8)
-- repeat buyers
SELECT CASE WHEN n = 1 THEN 'once' WHEN n < 5 THEN 'some' ELSE 'many' END AS kind, count(*), avg(spent) FROM
(SELECT customer_id, count(*) AS n, sum(total) AS spent FROM orders GROUP BY customer_id) q GROUP BY 1;

-- @id 32  @check sum(hashtext(ans::text)::int8)
-- rfm
SELECT customer_id, max(ordered_at) AS last, count(*) AS f, sum(total) AS m FROM orders GROUP BY customer_id
HAVING count(*) >= 3 AND sum(total) > 1000 ORDER BY m DESC, customer_id LIMIT 100;

-- @id 33  @check sum(hashtext(ans::text)::int8)
-- lifetime value by plan
SELECT coalesce(c.plan, 'none') AS plan, count(DISTINCT c.id), sum(o.total) / count(DISTINCT c.id) AS ltv FROM
customers c JOIN orders o ON o.customer_id = c.id GROUP BY 1;

-- @id 34  @check sum(hashtext(ans::text)::int8)
-- age groups
SELECT width_bucket(extract(year FROM age(date '2026-01-01', birthday)), 20, 80, 6) AS bucket, count(*) FROM
customers GROUP BY 1;

-- @id 35  @check sum(hashtext(ans::text)::int8)
-- age by years
SELECT (date '2026-01-01' - birthday) / 3652 AS decade, plan, count(*) FROM customers GROUP BY 1, 2;

-- @id 36  @check sum(hashtext(ans::text)::int8)
-- email domains
SELECT split_part(email, '@', 2) AS domain, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC;

-- @id 37  @check sum(hashtext(ans::text)::int8)
-- json source
SELECT attrs->>'source' AS source, count(*), avg((attrs->>'score')::int) FROM customers GROUP BY 1;

-- @id 38  @check sum(hashtext(ans::text)::int8)
-- json filter
SELECT country, count(*) FROM customers WHERE attrs @> '{"source": "ads"}' GROUP BY country;

-- @id 39  @check sum(hashtext(ans::text)::int8)
-- boolean rate
SELECT country, avg(marketing::int), avg(CASE WHEN marketing THEN 1 ELSE 0 END), bool_or(marketing) FROM
customers GROUP BY country;

-- @id 40  @check sum(hashtext(ans::text)::int8)
-- price buckets
SELECT width_bucket(total, 0, 500, 10) AS b, count(*), min(total), max(total) FROM orders GROUP BY 1 ORDER BY
1;

-- @id 41  @check sum(hashtext(ans::text)::int8)
-- price bands by floor
SELECT floor(total / 50) * 50 AS band, count(*) FROM orders GROUP BY 1 ORDER BY 1;

-- @id 42  @check sum(hashtext(ans::text)::int8)
-- rollup
SELECT channel, status, sum(total) FROM orders GROUP BY ROLLUP (channel, status);

-- @id 43  @check sum(hashtext(ans::text)::int8)
-- cube with labels
SELECT coalesce(channel, 'all'), coalesce(currency, 'all'), grouping(channel, currency), count(*), sum(total)
FROM orders GROUP BY CUBE (channel, currency);

-- @id 44  @check sum(hashtext(ans::text)::int8)
-- grouping sets over a join
SELECT c.country, o.channel, sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY
GROUPING SETS ((c.country), (o.channel), ());

-- @id 45  @check sum(hashtext(ans::text)::int8)
-- statistics
SELECT channel, stddev(total), variance(total), round(corr(total::float8, shipping::float8)::numeric, 6) FROM
orders GROUP BY channel;

-- @id 46  @check sum(hashtext(ans::text)::int8)
-- distinct coupons
SELECT DISTINCT coupon FROM orders;

-- @id 47  @check sum(hashtext(ans::text)::int8)
-- count distinct several
SELECT date_trunc('week', ordered_at), count(DISTINCT customer_id), count(DISTINCT coupon), count(*) FROM
orders GROUP BY 1;

-- @id 48  @check sum(hashtext(ans::text)::int8)
-- top n of each group
SELECT * FROM (SELECT channel, customer_id, sum(total) AS s, row_number() OVER (PARTITION BY channel ORDER BY
sum(total) DESC, customer_id) AS r FROM orders GROUP BY 1, 2) q WHERE r <= 3;

-- @id 49  @check sum(hashtext(ans::text)::int8)
-- string_agg
SELECT country, string_agg(DISTINCT plan, ',' ORDER BY plan), count(*) FROM customers GROUP BY country;

-- @id 50  @check sum(hashtext(ans::text)::int8)
-- array_agg of top
SELECT channel, (array_agg(total ORDER BY total DESC))[1:3] FROM orders GROUP BY channel;

-- @id 51  @check sum(hashtext(ans::text)::int8)
-- whole table
SELECT count(*), sum(total), min(ordered_at), max(ordered_at) FROM orders;

-- @id 52  @check sum(hashtext(ans::text)::int8)
-- exists filter
SELECT date_trunc('month', o.ordered_at), count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM order_items i
JOIN products p ON p.id = i.product_id WHERE i.order_id = o.id AND p.category = 'toys') GROUP BY 1;

-- @id 53  @check sum(hashtext(ans::text)::int8)
-- in subquery
SELECT channel, sum(total) FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE plan = 'pro')
GROUP BY channel;

-- @id 54  @check sum(hashtext(ans::text)::int8)
-- scalar subquery
SELECT channel, count(*) FROM orders WHERE total > (SELECT avg(total) FROM orders) GROUP BY channel;

-- @id 55  @check sum(hashtext(ans::text)::int8)
-- union of channels
SELECT k, count(*) FROM (SELECT 'order' AS k, ordered_at AS t FROM orders UNION ALL SELECT kind, at FROM
events) q GROUP BY k;

-- @id 56  @check sum(hashtext(ans::text)::int8)
-- items with order date
SELECT date_trunc('month', o.ordered_at) AS m, p.category, sum(i.quantity * i.unit_price) FROM order_items i
JOIN orders o ON o.id = i.order_id JOIN products p ON p.id = i.product_id WHERE o.status = 'delivered' GROUP
BY 1, 2;

-- @id 57  @check sum(hashtext(ans::text)::int8)
-- funnel
SELECT count(*) FILTER (WHERE v) AS viewed, count(*) FILTER (WHERE v AND c) AS carted, count(*) FILTER (WHERE
v AND c AND p) AS bought FROM (SELECT session_id, bool_or(kind = 'view') AS v, bool_or(kind = 'cart') AS c,
bool_or(kind = 'purchase') AS p FROM events GROUP BY session_id) q;

-- @id 58  @check sum(hashtext(ans::text)::int8)
-- sessions
SELECT at::date AS d, count(DISTINCT session_id) AS sessions, count(DISTINCT user_id) AS users, count(*) FROM
events GROUP BY 1 ORDER BY 1;

-- @id 59  @check sum(hashtext(ans::text)::int8)
-- session length
SELECT avg(len), percentile_disc(0.9) WITHIN GROUP (ORDER BY len) FROM (SELECT session_id, max(at) - min(at)
AS len FROM events GROUP BY 1) q;

-- @id 60  @check sum(hashtext(ans::text)::int8)
-- daily active ratio
SELECT date_trunc('month', d), avg(n) FROM (SELECT at::date AS d, count(DISTINCT user_id) AS n FROM events
GROUP BY 1) q GROUP BY 1;

-- @id 61  @check sum(hashtext(ans::text)::int8)
-- url without query
SELECT split_part(url, '?', 1) AS path, count(*) FROM events WHERE kind = 'view' GROUP BY 1 ORDER BY 2 DESC, 1
LIMIT 10;

-- @id 62  @check sum(hashtext(ans::text)::int8)
-- regexp on url
SELECT substring(url FROM 'utm=([0-9]+)') AS utm, count(*), avg(duration_ms) FROM events GROUP BY 1;

-- @id 63  @check sum(hashtext(ans::text)::int8)
-- search in url
SELECT count(*) FROM events WHERE url ILIKE '%/P/12%' AND duration_ms BETWEEN 1000 AND 5000;

-- @id 64  @check sum(hashtext(ans::text)::int8)
-- browser share
SELECT props->>'browser' AS b, kind, count(*), avg(duration_ms)::numeric(10,1) FROM events GROUP BY 1, 2;

-- @id 65  @check sum(hashtext(ans::text)::int8)
-- percentiles of latency
SELECT kind, percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms), percentile_cont(0.95) WITHIN GROUP
(ORDER BY duration_ms), percentile_cont(0.99) WITHIN GROUP (ORDER BY duration_ms) FROM events GROUP BY kind;

-- @id 66  @check sum(hashtext(ans::text)::int8)
-- networks
SELECT network(set_masklen(ip, 24)), count(*) FROM events GROUP BY 1;

-- @id 67  @check sum(hashtext(ans::text)::int8)
-- ip counts
SELECT ip, count(*) FROM events GROUP BY ip HAVING count(*) > 5 ORDER BY 2 DESC, 1 LIMIT 20;

-- @id 68  @check sum(hashtext(ans::text)::int8)
-- histogram of durations
SELECT duration_ms / 1000 AS s, count(*) FROM events GROUP BY 1 ORDER BY 1;

-- @id 69  @check sum(hashtext(ans::text)::int8)
-- log buckets
SELECT floor(log(greatest(duration_ms, 1))) AS l, count(*) FROM events GROUP BY 1;

-- @id 70  @check sum(hashtext(ans::text)::int8)
-- grafana time series
SELECT date_bin('5 minutes', time, timestamptz '2000-01-01') AS t, host, avg(cpu) FROM metrics WHERE time
BETWEEN '2025-10-01T00:00:00Z' AND '2025-10-02T00:00:00Z' GROUP BY 1, 2 ORDER BY 1;

-- @id 71  @check sum(hashtext(ans::text)::int8)
-- grafana macro
SELECT floor(extract(epoch FROM time) / 300) * 300 AS time, avg(cpu) AS value, host AS metric FROM metrics
WHERE time BETWEEN '2025-10-01T00:00:00Z' AND '2025-10-03T00:00:00Z' GROUP BY 1, 3 ORDER BY 1;

-- @id 72  @check sum(hashtext(ans::text)::int8)
-- grafana macro int
SELECT (extract(epoch FROM time)::bigint / 60) * 60 AS time, max(mem_bytes) FROM metrics GROUP BY 1;

-- @id 73  @check sum(hashtext(ans::text)::int8)
-- hosts over a limit
SELECT host, max(cpu), avg(temp), count(*) FILTER (WHERE cpu > 90) FROM metrics GROUP BY host HAVING max(cpu)
> 99 ORDER BY 2 DESC;

-- @id 74  @check sum(hashtext(ans::text)::int8)
-- last value per host
SELECT DISTINCT ON (host) host, time, cpu FROM metrics ORDER BY host, time DESC, cpu;

-- @id 75  @check sum(hashtext(ans::text)::int8)
-- last value by join
SELECT m.host, m.cpu FROM metrics m JOIN (SELECT host, max(time) AS t FROM metrics GROUP BY host) q ON q.host
= m.host AND q.t = m.time;

-- @id 76  @check sum(hashtext(ans::text)::int8)
-- gigabytes
SELECT host, round(avg(mem_bytes) / 1024 / 1024 / 1024, 2), pg_size_pretty(max(mem_bytes)) FROM metrics GROUP
BY host;

-- @id 77  @check sum(hashtext(ans::text)::int8)
-- hourly by session zone
SELECT date_trunc('hour', time AT TIME ZONE 'America/New_York'), avg(disk), max(disk) FROM metrics GROUP BY 1;

-- @id 78  @check sum(hashtext(ans::text)::int8)
-- correlation
SELECT host, round(corr(cpu, temp)::numeric, 6), round(regr_slope(cpu, temp)::numeric, 6) FROM metrics GROUP
BY host;

-- @id 79  @check sum(hashtext(ans::text)::int8)
-- first and last day
SELECT customer_id, count(DISTINCT ordered_at::date) AS days, max(ordered_at) - min(ordered_at) FROM orders
GROUP BY customer_id HAVING count(DISTINCT ordered_at::date) > 5;

-- @id 80  @check sum(hashtext(ans::text)::int8)
-- anti join by left
SELECT count(*) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL;

-- @id 81  @check sum(hashtext(ans::text)::int8)
-- tableau style
SELECT CAST(date_trunc('MONTH', CAST(orders.ordered_at AS timestamp)) AS date) AS "tmn:ordered_at:ok",
round(SUM(CAST(orders.total AS float8))::numeric, 2) AS "sum:total:ok" FROM orders WHERE CAST(orders.channel
AS text) IN ('web', 'app') GROUP BY 1;

-- @id 82  @check sum(hashtext(ans::text)::int8)
-- metabase style
SELECT "source"."m" AS m, "source"."category" AS category, count(*) AS count, sum("source"."total") FROM
(SELECT date_trunc('month', "o"."ordered_at") AS m, "p"."category" AS category, "i"."quantity" *
"i"."unit_price" AS total FROM "order_items" "i" LEFT JOIN "orders" "o" ON "i"."order_id" = "o"."id" LEFT JOIN
"products" "p" ON "i"."product_id" = "p"."id") AS "source" GROUP BY 1, 2 ORDER BY 1, 2;

-- @id 83  @check sum(hashtext(ans::text)::int8)
-- superset style
SELECT DATE_TRUNC('week', ordered_at) AS __timestamp, channel AS channel, SUM(total) AS sum_total FROM orders
JOIN (SELECT channel AS channel__, SUM(total) AS mme_inner__ FROM orders GROUP BY channel ORDER BY mme_inner__
DESC LIMIT 2) AS anon_1 ON channel = channel__ GROUP BY 1, 2;

-- @id 84  @check sum(hashtext(ans::text)::int8)
-- power bi style
SELECT "rows"."channel", sum("rows"."total") AS "a0" FROM (SELECT "_"."channel", "_"."total" FROM orders "_"
WHERE "_"."ordered_at" >= timestamp '2025-01-01 00:00:00' AND "_"."ordered_at" < timestamp '2026-01-01
00:00:00') "rows" GROUP BY "channel" LIMIT 1000001;

-- @id 85  @check sum(hashtext(ans::text)::int8)
-- pivot
SELECT ordered_at::date, sum(total) FILTER (WHERE channel = 'web') AS web, sum(total) FILTER (WHERE channel =
'app') AS app, sum(total) FILTER (WHERE channel NOT IN ('web','app')) AS other FROM orders GROUP BY 1;

-- @id 86  @check sum(hashtext(ans::text)::int8)
-- having over average
SELECT product_id, avg(unit_price) FROM order_items GROUP BY product_id HAVING avg(unit_price) > (SELECT
avg(unit_price) FROM order_items);

-- @id 87  @check sum(hashtext(ans::text)::int8)
-- pairs bought together
SELECT a.product_id, b.product_id, count(*) FROM order_items a JOIN order_items b ON a.order_id = b.order_id
AND a.product_id < b.product_id GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10;

-- @id 88  @check sum(hashtext(ans::text)::int8)
-- data quality
SELECT count(*), count(coupon), count(*) - count(shipped_at), count(DISTINCT currency), min(length(coupon)),
sum((total IS NULL)::int) FROM orders;

-- @id 89  @check sum(hashtext(ans::text)::int8)
-- duplicates
SELECT customer_id, ordered_at, count(*) FROM orders GROUP BY 1, 2 HAVING count(*) > 1;

-- @id 90  @check sum(hashtext(ans::text)::int8)
-- checksum
SELECT channel, bit_xor(id), sum(hashtext(coupon)) FROM orders GROUP BY channel;

-- @id 91  @check sum(hashtext(ans::text)::int8)
-- sum of text numbers
SELECT channel, sum(substr(coupon, 3)::int) FROM orders WHERE coupon IS NOT NULL GROUP BY channel;

-- @id 92  @check sum(hashtext(ans::text)::int8)
-- vat
SELECT date_trunc('month', ordered_at), round(sum(total / 1.19), 2) AS net, sum(round(total - total / 1.19,
2)) AS vat FROM orders GROUP BY 1;

-- @id 93  @check sum(hashtext(ans::text)::int8)
-- interval buckets
SELECT CASE WHEN shipped_at - ordered_at < interval '1 day' THEN '1 day' WHEN shipped_at - ordered_at <
interval '3 days' THEN '3 days' ELSE 'more' END, count(*) FROM orders GROUP BY 1;

-- @id 94  @check sum(hashtext(ans::text)::int8)
-- greatest and least
SELECT currency, sum(greatest(total - 100, 0)), sum(least(total, 100)) FROM orders GROUP BY currency;

-- @id 95  @check sum(hashtext(ans::text)::int8)
-- view with security
SELECT plan, count(*) FROM (SELECT * FROM customers WHERE marketing) c WHERE country = 'DE' GROUP BY plan;

-- @id 96  @check sum(hashtext(ans::text)::int8)
-- nth day of month
SELECT extract(day FROM ordered_at)::int AS d, avg(total) FROM orders GROUP BY 1;

-- @id 97  @check sum(hashtext(ans::text)::int8)
-- quarter label
SELECT to_char(ordered_at, 'YYYY-"Q"Q') AS q, sum(total) FROM orders GROUP BY 1;

-- @id 98  @check sum(hashtext(ans::text)::int8)
-- month name
SELECT to_char(ordered_at, 'Mon YYYY') AS m, sum(total)::money FROM orders GROUP BY 1;

-- @id 99  @check sum(hashtext(ans::text)::int8)
-- concatenated key
SELECT channel || '/' || currency AS k, count(*) FROM orders GROUP BY 1;

-- @id 100  @check sum(hashtext(ans::text)::int8)
-- format key
SELECT format('%s (%s)', channel, status) AS k, count(*) FROM orders GROUP BY 1;

-- @id 101  @check sum(hashtext(ans::text)::int8)
-- first word
SELECT lower(left(email, 1)) AS l, count(*) FROM customers GROUP BY 1;

-- @id 102  @check sum(hashtext(ans::text)::int8)
-- average per customer per month
SELECT m, avg(s) FROM (SELECT customer_id, date_trunc('month', ordered_at) AS m, sum(total) AS s FROM orders
GROUP BY 1, 2) q GROUP BY m;

-- @id 103  @check sum(hashtext(ans::text)::int8)
-- weighted average
SELECT product_id, sum(unit_price * quantity) / sum(quantity) FROM order_items GROUP BY product_id;

-- @id 104  @check sum(hashtext(ans::text)::int8)
-- case in aggregate
SELECT channel, count(CASE WHEN status = 'refunded' THEN 1 END)::numeric / count(*) FROM orders GROUP BY
channel;

-- @id 105  @check sum(hashtext(ans::text)::int8)
-- order by several
SELECT status, channel, sum(total) FROM orders GROUP BY status, channel ORDER BY status, 3 DESC;

-- @id 106  @check sum(hashtext(ans::text)::int8)
-- two level distinct
SELECT count(*) FROM (SELECT DISTINCT user_id, at::date FROM events) q;

-- @id 107  @check sum(hashtext(ans::text)::int8)
-- lag over groups
SELECT m, s, s - lag(s) OVER (ORDER BY m) FROM (SELECT date_trunc('month', ordered_at) AS m, sum(total) AS s
FROM orders GROUP BY 1) q;

-- @id 108  @check sum(hashtext(ans::text)::int8)
-- full join of two
SELECT coalesce(a.d, b.d), a.n, b.n FROM (SELECT ordered_at::date AS d, count(*) AS n FROM orders GROUP BY 1)
a FULL JOIN (SELECT at::date AS d, count(*) AS n FROM events GROUP BY 1) b ON a.d = b.d;

-- @id 109  @check sum(hashtext(ans::text)::int8)
-- lateral latest
SELECT c.country, avg(l.total) FROM (SELECT * FROM customers WHERE id <= 50) c, LATERAL (SELECT total FROM
orders o WHERE o.customer_id = c.id ORDER BY ordered_at DESC, id LIMIT 1) l GROUP BY c.country;

-- @id 110  @check sum(hashtext(ans::text)::int8)
-- sample
SELECT channel, count(*) * 10, sum(total) * 10 FROM orders TABLESAMPLE SYSTEM (10) REPEATABLE (3) GROUP BY
channel;
