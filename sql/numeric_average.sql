--
-- Averages of numerics are made in place, digit for digit as numeric_div() makes them.
--
\a
\t on
-- sums of one to forty digits before or behind the point, counts of one to five digits
CREATE TABLE na (g int4, a numeric(18, 18), b numeric(15, 2), c numeric(18, 0), d numeric(12, 5), e numeric(10, 7), f numeric(18, 17), i int8, x numeric);
INSERT INTO na
SELECT g, h % 10 ^ (g % 18 + 1)::numeric / 1e18, round(h % 10 ^ (g % 15 + 1)::numeric / 100, 2), h % 10 ^ (g % 18 + 1)::numeric,
	   round(h % 10 ^ (g % 12 + 1)::numeric / 100000, 5), round(h % 10 ^ (g % 10 + 1)::numeric / 10000000, 7),
	   round(h % 10 ^ (g % 18 + 1)::numeric / 1e17, 17), (h % 10 ^ (g % 18 + 1)::numeric)::int8,
	   round(h % 10 ^ (g % 8 + 1)::numeric / 10 ^ (g % 9 + 1)::numeric, g % 9)
FROM (SELECT i % CASE WHEN i % 3 > 0 THEN 9973 ELSE 61 END AS g, hashint8extended(i, 17)::numeric AS h
	  FROM generate_series(1, 40000) i) q;
INSERT INTO na SELECT 20000, (i % 3 - 1) / 1e18, (i % 7 - 3) / 100.0, i % 5 - 2, 0, i / 1e7, 0, -i, i % 2 FROM generate_series(1, 10007) i;
INSERT INTO na SELECT 20001 + i % 2, 0.999999999999999999, 9999999999999.99, 999999999999999999, 9999999.99999, 999.9999999,
	9.99999999999999999, 9223372036854775807, 99999.99 FROM generate_series(1, 300) i;
INSERT INTO na VALUES (20003, 0, 0, 0, 0, 0, 0, 0, 0), (20004, 1e-18, 0.01, 1, 0.00001, 0.0000001, 1e-17, 1, 0.0),
	(20005, -1e-18, -0.01, -1, -0.00001, -0.0000001, -1e-17, -1, -0.00);
-- the first decimal left out is a 5, and nothing follows
INSERT INTO na SELECT 20010 + s, 0, 1.505 * (2 - s), 0, 0, 0, f * (2 - s), 0, 0 FROM unnest('{1,3}'::int4[]) s, unnest('{1.50000000000000001,1.5}'::numeric[]) f;
ANALYZE na;
SELECT k, compare(format('SELECT g, avg(%1$I), sum(%1$I) FROM na GROUP BY g', k)), compare(format('SELECT avg(%1$I), sum(%1$I) FROM na', k)),
	compare(format('SELECT g %% 1009, g < 20000, avg(%1$I) FROM na GROUP BY 1, 2', k)),
	compare(format('SELECT avg(%1$I) FROM na WHERE g = 20000', k))
FROM unnest('{a,b,c,d,e,f,i,x}'::text[]) k;
SELECT compare('SELECT g, avg(coalesce(b, 0) + CASE WHEN g % 2 = 0 THEN 0.5000 ELSE 0 END) FROM na GROUP BY g');
SELECT compare('SELECT g, avg(d * (g % 97)), avg(b * 0.001) FROM na WHERE g < 20000 GROUP BY g');
DROP TABLE na;
