-- ops_answers.sql
--		Asks PostgreSQL for the known answers of ops_answers.inc:
--			psql -qAtX -f test/unit/ops_answers.sql > test/unit/ops_answers.inc
--		in a UTF-8 database whose default collation is C.  Each line is an
--		OpsCase (ops_cases.h): operator, flags, imm, arguments, result.
\set ON_ERROR_STOP 1
SET TimeZone = 'UTC';
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS ops CASCADE;
CREATE SCHEMA ops;
SET search_path = ops, pg_catalog;

-- A value as a C initialiser
CREATE FUNCTION lit(v int8) RETURNS text LANGUAGE sql AS
$$ SELECT CASE WHEN v = -9223372036854775808 THEN 'I(INT64_MIN)'
			   ELSE 'I(' || v || ')' END $$;
CREATE FUNCTION lit(v int4) RETURNS text LANGUAGE sql AS $$ SELECT lit(v::int8) $$;
CREATE FUNCTION lit(v int2) RETURNS text LANGUAGE sql AS $$ SELECT lit(v::int8) $$;
CREATE FUNCTION lit(v bool) RETURNS text LANGUAGE sql AS $$ SELECT lit(v::int4) $$;
CREATE FUNCTION lit(v numeric) RETURNS text LANGUAGE sql AS $$ SELECT lit(v::int8) $$;
CREATE FUNCTION lit(v float8) RETURNS text LANGUAGE sql AS
$$ SELECT CASE v::text WHEN 'NaN' THEN 'F(NAN)' WHEN 'Infinity' THEN 'F(INFINITY)'
		  WHEN '-Infinity' THEN 'F(-INFINITY)'
		  ELSE 'F(' || v || CASE WHEN v::text ~ '[.e]' THEN ')' ELSE '.0)' END END $$;
CREATE FUNCTION lit(v float4) RETURNS text LANGUAGE sql AS $$ SELECT lit(v::float8) $$;
CREATE FUNCTION lit(v date) RETURNS text LANGUAGE sql AS
$$ SELECT lit(('x' || encode(date_send(v), 'hex'))::bit(32)::int4) $$;
CREATE FUNCTION lit(v timestamp) RETURNS text LANGUAGE sql AS
$$ SELECT lit(('x' || encode(timestamp_send(v), 'hex'))::bit(64)::int8) $$;
CREATE FUNCTION lit(v text) RETURNS text LANGUAGE sql AS
$$ SELECT 'S("' || replace(replace(v, '\', '\\'), '"', '\"') || '")' $$;

-- The bytes of an inet_struct: what inet_send() gives, without two of its bytes
CREATE FUNCTION lit(v inet) RETURNS text LANGUAGE sql AS
$$ SELECT 'S("' || string_agg(format('\%s%s%s', b >> 6, b >> 3 & 7, b & 7), '' ORDER BY i) || '")'
   FROM (SELECT i, get_byte(inet_send(v), i) AS b FROM generate_series(0, length(inet_send(v)) - 1) i) x
   WHERE i NOT IN (2, 3) $$;

-- The answer of an expression, errors included
CREATE FUNCTION answer(expression text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT lit(' || expression || ')' INTO result;
	RETURN result;
EXCEPTION WHEN others THEN
	RETURN 'E(' || CASE
		WHEN sqlerrm = 'numeric field overflow' THEN 'NEEDS_PG'
		WHEN sqlstate = '22003' AND sqlerrm LIKE '%overflow' THEN 'FLOAT_OVERFLOW'
		WHEN sqlstate = '22003' AND sqlerrm LIKE '%underflow' THEN 'FLOAT_UNDERFLOW'
		WHEN sqlstate = '22003' THEN 'INT_RANGE'
		WHEN sqlstate = '22012' THEN 'DIV_ZERO'
		WHEN sqlstate = '22008' THEN 'DATETIME_RANGE'
		WHEN sqlstate IN ('2201F', '22011') THEN 'NEEDS_PG'
		ELSE sqlstate || ' ' || sqlerrm END || ')';
END
$$;

-- Lines for one operator.  In the template, $1 .. $3 are arguments, given as
-- literals of types[i]; arrays of arguments are combined all with all.
CREATE FUNCTION cases(op text, template text, types text[], a text[],
					  b text[] DEFAULT '{NULL}', c text[] DEFAULT '{NULL}',
					  imm text DEFAULT '0')
RETURNS SETOF text LANGUAGE plpgsql AS
$$
DECLARE
	args text[];
	expression text;
	line text;
BEGIN
	FOR args IN SELECT ARRAY[x, y, z] FROM unnest(a) x, unnest(b) y, unnest(c) z
	LOOP
		expression := template;
		line := '';
		FOR i IN 1 .. 3 LOOP
			IF types[i] IS NULL THEN
				line := line || ', NONE';
			ELSE
				args[i] := quote_literal(args[i]) || '::' || types[i];
				expression := replace(expression, '$' || i, args[i]);
				line := line || ', ' || answer(args[i]);
			END IF;
		END LOOP;
		RETURN NEXT format('{OP(%s), 0, %s, {%s}, %s, NULL, 0},', op, imm,
						   substr(line, 3), answer(expression));
	END LOOP;
END
$$;

SELECT cases('INT' || right(t, 1) || '_' || op.name, '($1 ' || op.sign || ' $2)::' || t,
			 ARRAY[t, t], v.a, v.b)
FROM (VALUES
	('int2', '{-32768,32767,7}'::text[], '{-1,0,2,-32768}'::text[]),
	('int4', '{-2147483648,2147483647,-7}', '{-1,0,3,2147483647}'),
	('int8', '{-9223372036854775808,9223372036854775807,4294967296}',
	 '{-1,0,3,-4294967296,9223372036854775807}')) v (t, a, b),
	(VALUES ('ADD', '+'), ('SUB', '-'), ('MUL', '*'), ('DIV', '/')) op (name, sign);
SELECT cases('INT' || right(t, 1) || '_' || op.name, '(' || op.sign || '$1)::' || t, ARRAY[t], v.a)
FROM (VALUES
	('int2', '{-32768,32767,-7,0}'::text[]),
	('int4', '{-2147483648,2147483647,-7,0}'),
	('int8', '{-9223372036854775808,9223372036854775807,-7,0}')) v (t, a),
	(VALUES ('NEG', '-'), ('ABS', '@')) op (name, sign);
SELECT cases('INT_MOD', '$1 % $2', ARRAY[t, t], v.a, '{-1,0,3,-5}')
FROM (VALUES
	('int2', '{-32768,32767}'::text[]), ('int4', '{-2147483648,-7}'),
	('int8', '{-9223372036854775808,9223372036854775806}')) v (t, a);
SELECT cases('INT' || right(t, 1) || '_' || upper(f), f || '($1, $2)', ARRAY[t, t], v.a, v.a)
FROM (VALUES
	('int4', '{-2147483648,2147483647,0,1,-6,15,46341,-65536}'::text[]),
	('int8', '{-9223372036854775808,9223372036854775807,0,-1,6,-15,4294967296,3037000500}')) v (t, a),
	unnest(ARRAY['gcd', 'lcm']) f;
SELECT cases('INT_' || op.name, '$1 ' || op.sign || ' $2', '{int8,int8}', '{12,-9223372036854775808}', '{10,-1}')
FROM (VALUES ('AND', '&'), ('OR', '|'), ('XOR', '#')) op (name, sign);
SELECT cases('INT_NOT', '~$1', '{int4}', '{0,-1,2147483647}');
SELECT cases('INT' || right(t, 1) || '_' || op.name, '$1 ' || op.sign || ' $2', ARRAY[t, 'int4'], v.a,
			 '{0,1,15,16,31,32,33,63,64,-1}')
FROM (VALUES ('int2', '{-32768,12345}'::text[]), ('int4', '{-2147483648,1234567}'),
	('int8', '{-9223372036854775808,1234567890123}')) v (t, a),
	(VALUES ('SHL', '<<'), ('SHR', '>>')) op (name, sign);
SELECT cases('TO_INT2', '$1::int2', '{int8}', '{-32769,-32768,32767,32768,4294967296}');
SELECT cases('TO_INT4', '$1::int4', '{int8}', '{-2147483649,-2147483648,2147483647,2147483648}');
SELECT cases('DECIMAL_' || upper(f), format('%s($1::numeric * 1e-%s)', f, n), '{int8}',
			 '{0,1,-1,4,-5,49,50,-50,-49999,50000,123456,-999999999999999999,9223372036854775807,-9223372036854775808}',
			 imm => n::text)
FROM unnest('{round,trunc,floor,ceil}'::text[]) f, unnest('{0,1,2,5,18}'::int4[]) n;
SELECT cases('DECIMAL_FITS', format('$1::numeric(%s, 0)', n), '{int8}',
			 '{0,9,10,-9,-10,9999,-10000,999999999999999999,1000000000000000000,-9223372036854775808}', imm => n::text)
FROM unnest('{1,4,18}'::int4[]) n;
SELECT cases('DECIMAL_AT', format('(SELECT CASE WHEN $1 & 31 <= %1$s AND abs(v) < 9223372036854775808 THEN v::int8 ELSE sqrt(-1.0::float8)::int8 END
			 FROM trunc(($1 >> 5) * 10::numeric ^ (%1$s - ($1 & 31))) v)', n), '{int8}',
			 '{0,32,-32,31,34,-30,4930,-4926,3978,-3958,594,9223372036854775807,-9223372036854775808,9223372036854775778}', imm => n::text)
FROM unnest('{0,2,18}'::int4[]) n;
SELECT cases('TO_EXACT_DOUBLE', 'CASE WHEN abs($1::numeric) <= 9007199254740992 THEN $1 ELSE sqrt(-1.0::float8)::int8 END',
			 '{int8}', '{0,-3,9007199254740992,-9007199254740992,9007199254740993,-9007199254740993,-9223372036854775808}');
SELECT cases('TO_BOOL', '$1::bool', '{int4}', '{0,1,-5}');
SELECT cases('NOT', 'NOT $1', '{bool}', '{true,false}');
SELECT cases('I64_' || op.name, '$1 ' || op.sign || ' $2', '{int8,int8}',
			 '{-9223372036854775808,5}', '{5,9223372036854775807}')
FROM (VALUES ('EQ', '='), ('NE', '<>'), ('LT', '<'), ('LE', '<='), ('GT', '>'), ('GE', '>=')) op (name, sign);
SELECT cases('I64_MIN', 'least($1, $2)', '{int8,int8}', '{-9223372036854775808,5}', '{5,6}');
SELECT cases('I64_MAX', 'greatest($1, $2)', '{int8,int8}', '{-9223372036854775808,5}', '{5,6}');
SELECT cases('F64_' || op.name, '$1 ' || op.sign || ' $2', '{float8,float8}',
			 '{-0,1,NaN,Infinity}', '{0,1,NaN}')
FROM (VALUES ('EQ', '='), ('NE', '<>'), ('LT', '<'), ('LE', '<='), ('GT', '>'), ('GE', '>=')) op (name, sign);
SELECT cases('BYTES_' || op.name, '$1 ' || op.sign || ' $2', '{text,text}', ARRAY['', 'abc', 'é'],
			 ARRAY['', 'ab', 'abc', 'abd', 'z'])
FROM (VALUES ('EQ', '='), ('NE', '<>'), ('LT', '<'), ('LE', '<='), ('GT', '>'), ('GE', '>=')) op (name, sign);
SELECT cases('INET_' || op.name, '$1 ' || op.sign || ' $2', '{inet,inet}', '{10.0.0.1,10.0.0.0/8,10.128.0.0/9,0.0.0.0/0,::1,2001:db8::/29}',
			 '{10.0.0.1,10.0.0.1/8,10.0.0.0/9,255.255.255.255/31,::/0,2001:dbf::1/29}')
FROM (VALUES ('LT', '<'), ('LE', '<='), ('GT', '>'), ('GE', '>=')) op (name, sign);

SELECT cases('FLOAT8_' || op.name, '$1 ' || op.sign || ' $2', '{float8,float8}',
			 '{1.7976931348623157e308,-0,0.1,5e-324,-Infinity,NaN}',
			 '{1.7976931348623157e308,0,0.3,-2.5e-200,Infinity,NaN}')
FROM (VALUES ('ADD', '+'), ('SUB', '-'), ('MUL', '*'), ('DIV', '/')) op (name, sign);
SELECT cases('FLOAT4_' || op.name, '$1 ' || op.sign || ' $2', '{float4,float4}',
			 '{3.4028235e38,-0,0.1,1e-45,-Infinity,NaN}',
			 '{3.4028235e38,0,0.3,-2.5e-30,16777217,NaN}')
FROM (VALUES ('ADD', '+'), ('SUB', '-'), ('MUL', '*'), ('DIV', '/')) op (name, sign);
SELECT cases('FLOAT_' || op.name, op.call, '{float8}',
			 '{0.5,-0.5,1.5,2.5,-2.5,4503599627370497.5,-0,Infinity,NaN}')
FROM (VALUES ('NEG', '-$1'), ('ABS', '@$1'), ('FLOOR', 'floor($1)'), ('CEIL', 'ceil($1)'),
	('TRUNC', 'trunc($1)'), ('ROUND', 'round($1)')) op (name, call);
SELECT cases('FLOAT_SIGN', 'sign($1)', '{float8}', '{2,-0,-5e-324,Infinity,-Infinity,NaN,0}');
SELECT cases('FLOAT_SQRT', 'sqrt($1)', '{float8}', '{2,-0,5e-324,Infinity,NaN,-1e-300}');
SELECT cases('INT_TO_FLOAT8', '$1::float8', '{int8}', '{9007199254740993,-9223372036854775807,-3}');
SELECT cases('INT_TO_FLOAT4', '$1::float4', '{int8}', '{16777217,9007199791611905,-9223372036854775808}');
SELECT cases('FLOAT8_TO_FLOAT4', '$1::float4', '{float8}',
			 '{0.1,3.4028235677973366e38,3.4028235677973362e38,1e-46,-7.1e-46,1e39,-0,-Infinity,NaN}');
SELECT cases('FLOAT_TO_INT' || n, '$1::int' || n, '{float8}', (v || '{0.5,1.5,-2.5,NaN,Infinity,-Infinity}'::text[]))
FROM (VALUES (2, '{32767.4,32767.5,-32768.5,-32768.6}'::text[]),
	(4, '{2147483647.4,2147483647.5,-2147483648.5,-2147483648.6}'),
	(8, '{9223372036854774784,9223372036854775808,-9223372036854775808,-9223372036854777856}')) t (n, v);
SELECT cases('FLOAT_BITS', '(''x'' || encode(float8send($1), ''hex''))::bit(64)::int8', '{float8}', '{1.5,-0,0,5e-324,-Infinity,-1e300}');

SELECT cases('DATE_ADD', '$1 + $2', '{date,int4}', '{2000-01-01,"4714-11-24 BC",5874897-12-31,infinity,-infinity}',
			 '{0,-1,365,2147483647,-2147483648}');
SELECT cases('DATE_SUB', '$1 - $2', '{date,int4}', '{2000-01-01,"4714-11-24 BC",5874897-12-31,infinity,-infinity}',
			 '{0,1,-365,2147483647,-2147483648}');
SELECT cases('DATE_DIFF', '$1 - $2', '{date,date}', '{"4714-11-24 BC",2024-02-29,infinity}',
			 '{5874897-12-31,2024-03-01,-infinity}');
SELECT cases('DATE_TO_TIMESTAMP', '$1::timestamp', '{date}',
			 '{"4714-11-24 BC",1999-12-31,294276-12-31,294277-01-01,5874897-12-31,infinity,-infinity}');
SELECT cases('TIMESTAMP_TO_DATE', '$1::date', '{timestamp}',
			 '{"4714-11-24 00:00:00 BC","1999-12-31 23:59:59.999999","2000-01-01 00:00","294276-12-31 23:59:59.999999",infinity,-infinity}');
SELECT cases('DATE_TRUNC', format('date_trunc(%L, $1::timestamp)::date', f), '{date}',
			 '{"4714-11-24 BC","1001-06-15 BC","0011-12-31 BC","0001-02-29 BC",0001-01-01,0100-12-31,1001-01-01,1999-12-31,2024-08-31,294276-12-31,294277-01-01,infinity}',
			 imm => 'GPUAGG_FIELD_' || upper(f))
FROM unnest('{hour,day,week,month,quarter,year,decade,century,millennium}'::text[]) f;
SELECT cases('TIMESTAMP_TRUNC', format('date_trunc(%L, $1)', f), '{timestamp}',
			 '{"4714-11-24 00:00:00.000001 BC","0044-03-15 12:34:56.789012 BC","0001-12-31 23:59:59.999999","1969-12-31 23:59:59.999999","2005-01-01 07:08:09.010203","294276-12-31 23:59:59.999999",-infinity}',
			 imm => 'GPUAGG_FIELD_' || upper(f))
FROM unnest('{microsecond,millisecond,second,minute,hour,day,week,month,quarter,year,decade,century,millennium}'::text[]) f;
SELECT cases('DATE_EXTRACT', format('extract(%s FROM $1)', f), '{date}',
			 '{"4714-11-24 BC","1001-01-01 BC","0101-12-31 BC","0011-01-02 BC","0001-02-29 BC",0001-01-01,0100-12-31,1001-01-01,1999-12-31,2005-01-01,2008-12-29,2010-01-03,2024-12-31,5874897-12-31}',
			 imm => 'GPUAGG_FIELD_' || upper(f))
FROM unnest('{day,dow,isodow,doy,week,month,quarter,year,isoyear,decade,century,millennium}'::text[]) f;
SELECT cases('TIMESTAMP_EXTRACT', format('extract(%s FROM $1)', f), '{timestamp}',
			 '{"4714-11-24 00:00:00.000001 BC","0044-03-15 12:34:56.789012 BC","1969-12-31 23:59:59.999999","2005-01-01 07:08:09.010203","294276-12-31 23:59:59.999999"}',
			 imm => 'GPUAGG_FIELD_' || upper(f))
FROM unnest('{minute,hour,day,dow,isodow,doy,week,month,quarter,year,isoyear,decade,century,millennium}'::text[]) f;
SELECT cases('DATE_EXTRACT', 'extract(epoch FROM $1)', '{date}', '{"4714-11-24 BC",1969-12-31,1970-01-01,5874897-12-31}', imm => 'GPUAGG_FIELD_EPOCH');
SELECT cases('TIMESTAMP_EXTRACT', format('extract(%s FROM $1) * %s', f, n), '{timestamp}',
			 '{"4714-11-24 00:00:00.000001 BC","0044-03-15 12:34:56.789012 BC","1969-12-31 23:59:59.999999","2005-01-01 07:08:09.010203","294246-12-31 23:59:59.999999"}',
			 imm => 'GPUAGG_FIELD_' || upper(f))
FROM (VALUES ('microsecond', 1), ('epoch', 1000000)) v (f, n);
SELECT cases('TIMESTAMP_ADD_MONTHS', '$1 + make_interval(months => $2)', '{timestamp,int4}',
			 '{"4714-11-24 00:00:00.000001 BC","0001-02-29 12:00 BC","2000-01-31 00:00","2023-12-31 23:59:59.999999","294276-12-31 23:59:59.999999",infinity,-infinity}',
			 '{0,1,-1,2,-11,13,25,-24000,2147483647,-2147483648}');
SELECT cases('TIMESTAMP_ADD_DAYS', '$1 + make_interval(days => $2)', '{timestamp,int4}',
			 '{"4714-11-24 00:00:00.000001 BC","2000-01-31 00:00","294276-12-31 23:59:59.999999",infinity,-infinity}', '{0,1,-1,366,-730485,109203527}');
SELECT cases('TIMESTAMP_ADD_TIME', '$1 + make_interval(secs => 0.000001) * $2', '{timestamp,int8}',
			 '{"4714-11-24 00:00:00.000001 BC","2000-01-31 00:00","294276-12-31 23:59:59.999999",infinity,-infinity}', '{0,1,-1,-2,86400000000,-9007199254740992}');
SELECT cases('TIMESTAMP_DIFF', 'extract(epoch FROM $1 - $2) * 1000000', '{timestamp,timestamp}',
			 '{"4713-01-01 00:00 BC","2000-01-31 00:00",infinity}', '{"0044-03-15 12:34:56.789012 BC","2023-12-31 23:59:59.999999",-infinity}');
SELECT cases('TIMESTAMP_TIME', 'extract(epoch FROM $1::time) * 1000000', '{timestamp}', '{"4714-11-24 00:00:00.000001 BC","1999-12-31 23:59:59.999999","2000-01-01 00:00"}');
SELECT cases('EPOCH_QUOTIENT', 'floor(round($1 * 1e-6, 6) / $2)', '{int8,int4}',
			 '{0,1,-1,3599999999,-3600000001,1700002799999999,1700002800000000,-1700002799999999,-1700002800000001,1700002799999951,9000000000000000000}',
			 '{1,7,3600,86400,2147483647}');
SELECT cases('TO_TIMESTAMP', 'to_timestamp($1)::timestamp', '{float8}', '{0,-0,0.1234565,1e9,1700000000.000001,-210866803200,9224318015999.5}');

SELECT cases('OCTET_LENGTH', 'octet_length($1)', '{text}', ARRAY['', 'abc', 'né€😀']);
SELECT cases('LENGTH_UTF8', 'length($1)', '{text}', ARRAY['', 'abc', 'né€😀']);
SELECT cases('RTRIM', 'rtrim($1)', '{text}', ARRAY['', '   ', 'ab  ', ' a b', E'a\t ']);
SELECT cases('SUBSTR_FROM', 'substr($1, $2)', '{text,int4}', ARRAY['né€😀x'],
			 '{-2147483648,0,1,2,4,5,6,2147483647}', imm => '1');
SELECT cases('SUBSTR', 'substr($1, $2, $3)', '{text,int4,int4}', ARRAY['né€😀x'],
			 '{-2147483648,-1,1,2,2147483647}', '{0,2,3,2147483647,-1}', imm => '1');
SELECT cases('SUBSTR', 'substr($1, $2, $3)', '{text,int4,int4}', ARRAY['abcdef'],
			 '{-1,3,7}', '{0,2,2147483647}', imm => '0');
SELECT cases('LIKE', '$1 LIKE $2', '{text,text}', ARRAY['', 'a', 'é', 'abcabc', 'naïve€'],
			 ARRAY['', '%', '_', '%%_', 'a%', '%c', '%bc_bc', '_%e_', '%a%c%', 'abc', 'na_ve%', '%€', '__'], imm => '1');
SELECT cases('STARTS_WITH', '$1 ^@ $2', '{text,text}', ARRAY['', 'abc'], ARRAY['', 'ab', 'abcd', 'b']);
