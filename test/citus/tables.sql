-- Distributed, reference, local and columnar tables, and one whose partitions are distributed
CREATE EXTENSION IF NOT EXISTS citus_columnar;
CREATE TABLE events (id int8, k int, g int, v int8, n numeric(10, 2), f float8, s text COLLATE "C", d date);
SELECT create_distributed_table('events', 'k', shard_count => 4);
INSERT INTO events SELECT i, i % 2000, i % 30, CASE WHEN i % 7 > 0 THEN i END, i % 1000 / 100.0, i % 8 / 8.0, 's' || i % 11,
	date '2024-01-01' + i % 60 FROM generate_series(1, 200000) i;
CREATE TABLE users (k int PRIMARY KEY, name text COLLATE "C", level int);
SELECT create_distributed_table('users', 'k', colocate_with => 'events');
INSERT INTO users SELECT i, 'name ' || i % 17, i % 5 FROM generate_series(0, 1999) i;
CREATE TABLE kinds (g int PRIMARY KEY, kind text COLLATE "C");
SELECT create_reference_table('kinds');
INSERT INTO kinds SELECT i, 'kind ' || i % 4 FROM generate_series(0, 29) i;
CREATE TABLE here AS SELECT i AS id, i % 10 AS g, i AS v FROM generate_series(1, 20000) i;
CREATE TABLE months (id int, k int, d date, v int8) PARTITION BY RANGE (d);
CREATE TABLE months1 PARTITION OF months FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
CREATE TABLE months2 PARTITION OF months FOR VALUES FROM ('2024-02-01') TO ('2024-03-01');
SELECT create_distributed_table('months', 'k', shard_count => 4);
INSERT INTO months SELECT i, i % 500, date '2024-01-01' + i % 60, i FROM generate_series(1, 100000) i;
CREATE TABLE stripes (k int, v int8) USING columnar;
SELECT create_distributed_table('stripes', 'k', shard_count => 4);
INSERT INTO stripes SELECT i % 100, i FROM generate_series(1, 20000) i;
VACUUM ANALYZE events;
VACUUM ANALYZE users;
VACUUM ANALYZE kinds;
VACUUM ANALYZE months;
VACUUM ANALYZE here;
