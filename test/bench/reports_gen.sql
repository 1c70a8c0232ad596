-- reports_gen.sql: a shop's tables, its visitors' events and its machines' metrics, made
-- inside PostgreSQL (psql script), for reports.sql.
--
-- usage:  psql -v sf=1 -f reports_gen.sql              all tables, VACUUMed
--         psql -v sf=1 -v from=1 -v to=0 -f ...        the tables, small ones filled
--         psql -v sf=1 -v from=A -v to=B -f ...        orders A to B, too, and as many
--                                                      events and metrics: for several
--                                                      sessions at once
--   sf    scale: 1.5 million orders, events and metrics each, twice as many items
--
-- Types are those that such tables have: numeric with and without NULLs, timestamptz,
-- enums, char(n), jsonb, uuid, inet; orders are partitioned by month.  Values come from
-- hashint8extended, so that any machine makes the same rows; floating-point ones are
-- multiples of 1/8, whose sums are exact.
\set ON_ERROR_STOP on
\if :{?sf} \else \set sf 1 \endif
SELECT greatest(1, (1500000 * :sf)::int8) AS orders,
	greatest(50, (100000 * :sf)::int8) AS customers,
	greatest(50, least(10000, (5000 * :sf)::int8)) AS products \gset

\ir gen_begin.sql

\if :begin
SET client_min_messages = error;
DROP TABLE IF EXISTS countries, customers, products, orders, order_items, events, metrics;
DROP TYPE IF EXISTS order_status;
CREATE TYPE order_status AS ENUM ('pending', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded');
CREATE TABLE countries (code char(2) PRIMARY KEY, name text NOT NULL, region text NOT NULL);
CREATE TABLE customers (
	id int8 PRIMARY KEY, email text NOT NULL, country char(2) NOT NULL, created_at timestamptz NOT NULL,
	plan text, birthday date, marketing boolean, attrs jsonb);
CREATE TABLE products (
	id int4 PRIMARY KEY, sku varchar(20) UNIQUE, name text, category text, brand text, price numeric(10,2),
	cost numeric(10,2), weight_kg float8);
CREATE TABLE orders (
	id int8 NOT NULL, customer_id int8 NOT NULL, ordered_at timestamptz NOT NULL, status order_status NOT NULL,
	currency char(3) NOT NULL, total numeric(12,2), shipping numeric(8,2), coupon text, shipped_at timestamptz,
	channel varchar(20)) PARTITION BY RANGE (ordered_at);
CREATE TABLE order_items (
	order_id int8 NOT NULL, line int4 NOT NULL, product_id int4 NOT NULL, quantity int4 NOT NULL,
	unit_price numeric(10,2) NOT NULL, discount numeric(4,3) NOT NULL);
CREATE TABLE events (
	id int8, user_id int8, session_id uuid, at timestamp NOT NULL, kind text NOT NULL, url text,
	duration_ms int4, ip inet, props jsonb);
CREATE TABLE metrics (
	time timestamptz NOT NULL, host text NOT NULL, cpu float8, mem_bytes int8, disk real, temp float8);
DO $$
DECLARE
	m timestamptz := '2024-01-01 UTC';
BEGIN
	FOR i IN 0 .. 23 LOOP
		EXECUTE format('CREATE TABLE orders_%s PARTITION OF orders FOR VALUES FROM (%L) TO (%L)', i,
			(m AT TIME ZONE 'UTC' + i * interval '1 month') AT TIME ZONE 'UTC',
			(m AT TIME ZONE 'UTC' + (i + 1) * interval '1 month') AT TIME ZONE 'UTC');
	END LOOP;
END $$;

INSERT INTO countries VALUES ('US', 'United States', 'Americas'), ('DE', 'Germany', 'EMEA'), ('FR', 'France', 'EMEA'),
	('JP', 'Japan', 'APAC'), ('BR', 'Brazil', 'Americas'), ('IN', 'India', 'APAC'), ('GB', 'United Kingdom', 'EMEA'),
	('AU', 'Australia', 'APAC');

INSERT INTO customers
SELECT i, 'user' || i || '@' || (ARRAY['gmail.com', 'yahoo.com', 'example.org', 'web.de'])[1 + pg_temp.u(i, 1, 4)],
	(ARRAY['US', 'DE', 'FR', 'JP', 'BR', 'IN', 'GB', 'AU'])[1 + pg_temp.u(i, 2, 8)],
	timestamptz '2024-01-01 UTC' + pg_temp.u(i, 3, 52000000) * interval '1 s',
	(ARRAY['free', 'basic', 'pro', NULL])[1 + pg_temp.u(i, 4, 4)], date '1950-01-01' + pg_temp.u(i, 5, 20000)::int4,
	pg_temp.u(i, 6, 10) < 4,
	jsonb_build_object('source', (ARRAY['ads', 'seo', 'friend'])[1 + pg_temp.u(i, 7, 3)], 'score', i % 100)
FROM generate_series(1, :customers) i;

INSERT INTO products
SELECT i, 'SKU-' || to_char(i, 'FM000000'), 'Product ' || i,
	(ARRAY['books', 'toys', 'food', 'garden', 'music'])[1 + pg_temp.u(i, 11, 5)], 'brand' || pg_temp.u(i, 12, 37),
	1 + pg_temp.u(i, 13, 30000) / 100.0, pg_temp.u(i, 14, 10000) / 100.0, pg_temp.u(i, 15, 160) / 8.0
FROM generate_series(1, :products) i;
\endif

INSERT INTO orders
SELECT i, 1 + pg_temp.u(i, 21, :customers), at,
	(ARRAY['pending', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded'])[1 + pg_temp.u(i, 23, 6)]::order_status,
	(ARRAY['USD', 'EUR', 'GBP'])[1 + pg_temp.u(i, 24, 3)], pg_temp.u(i, 25, 50000) / 100.0,
	CASE WHEN pg_temp.u(i, 26, 5) > 0 THEN pg_temp.u(i, 27, 1000) / 100.0 END,
	CASE WHEN pg_temp.u(i, 28, 9) = 0 THEN 'CP' || pg_temp.u(i, 29, 20) END,
	CASE WHEN pg_temp.u(i, 30, 5) > 0 THEN at + pg_temp.u(i, 31, 777600) * interval '1 s' END,
	(ARRAY['web', 'app', 'store', 'phone'])[1 + pg_temp.u(i, 32, 4)]
FROM generate_series(:from, :to) i,
	LATERAL (SELECT timestamptz '2024-01-01 UTC' + pg_temp.u(i, 22, 63072000) * interval '1 s' AS at) t;

INSERT INTO order_items
SELECT i, line, 1 + pg_temp.u(i * 2 + line, 41, :products), 1 + pg_temp.u(i * 2 + line, 42, 6),
	pg_temp.u(i * 2 + line, 43, 20000) / 100.0, pg_temp.u(i * 2 + line, 44, 4) * 0.05
FROM generate_series(:from, :to) i, generate_series(0, 1) line;

INSERT INTO events
SELECT i, 1 + pg_temp.u(i / 6, 51, :customers), md5((i / 6)::text)::uuid, timestamp '2025-06-01' + i * interval '5 s',
	(ARRAY['view', 'view', 'view', 'click', 'cart', 'purchase'])[1 + pg_temp.u(i, 52, 6)],
	'/p/' || pg_temp.u(i, 53, 500) || '?utm=' || pg_temp.u(i, 54, 7), pg_temp.u(i, 55, 30000),
	('10.0.' || pg_temp.u(i, 56, 200) || '.' || pg_temp.u(i, 57, 250))::inet,
	jsonb_build_object('browser', (ARRAY['firefox', 'chrome', 'safari'])[1 + pg_temp.u(i, 58, 3)], 'v', i % 10)
FROM generate_series(:from, :to) i;

INSERT INTO metrics
SELECT timestamptz '2025-10-01 UTC' + (i / 20) * interval '10 s', 'host' || i % 20,
	CASE WHEN pg_temp.u(i, 61, 100) > 0 THEN pg_temp.u(i, 62, 800) / 8.0 END, pg_temp.u(i, 63, 10000000000),
	pg_temp.u(i, 64, 800) / 8.0, 20 + pg_temp.u(i, 65, 480) / 8.0
FROM generate_series(:from, :to) i;

\if :whole
VACUUM (FREEZE, ANALYZE) countries, customers, products, orders, order_items, events, metrics;
\endif
