-- Where its shards are grouped (device, stock) | query: one a line
device|SELECT k, count(*), sum(v), avg(n), min(s), max(d) FROM events GROUP BY k ORDER BY k
device|SELECT g, count(*), sum(v), avg(v), min(n), max(d) FROM events GROUP BY g ORDER BY g
device|SELECT count(*), count(v), sum(v), avg(v), min(d), max(s) FROM events
device|SELECT s, count(*), sum(n) FILTER (WHERE f > 0.5) FROM events WHERE d < '2024-02-01' GROUP BY s HAVING count(*) > 3 ORDER BY s
device|SELECT g, stddev(v)::numeric(30, 6) FROM events WHERE k = 17 GROUP BY g ORDER BY g
device|SELECT k, count(DISTINCT s) FROM events GROUP BY k ORDER BY k
device|SELECT k, count(*) FROM events GROUP BY k ORDER BY count(*) DESC, k LIMIT 7
device|SELECT date_trunc('month', d) AS m, count(*), sum(v) FROM events GROUP BY m ORDER BY m
device|SELECT kind, count(*), sum(v) FROM events JOIN kinds USING (g) GROUP BY kind ORDER BY kind
device|SELECT name, count(*), sum(v) FROM events JOIN users USING (k) GROUP BY name ORDER BY name
device|SELECT kind, count(*) FROM kinds GROUP BY kind ORDER BY kind
device|SELECT g, count(*), sum(v) FROM here GROUP BY g ORDER BY g
device|SELECT k, count(*), sum(v) FROM months GROUP BY k ORDER BY k
device|SELECT d, count(*), sum(v) FROM months WHERE d >= '2024-02-10' GROUP BY d ORDER BY d
device|SELECT x.n, count(*) FROM (SELECT k, count(*) AS n FROM events WHERE v > 1000 GROUP BY k) x GROUP BY x.n ORDER BY x.n
device|WITH a AS MATERIALIZED (SELECT g, sum(v) AS s FROM events GROUP BY g) SELECT count(*), sum(s) FROM a
device|SELECT DISTINCT g FROM events ORDER BY g
stock|SELECT k, count(*), sum(v) FROM stripes GROUP BY k ORDER BY k
stock|SELECT k, v FROM events WHERE id < 50 ORDER BY k, v
