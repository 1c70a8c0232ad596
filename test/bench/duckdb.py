# duckdb.py LIBRARY THREADS [SECONDS]
#		DuckDB as an engine of the benchmarks, by its shared library.  Reads requests from
#		standard input, each ended by a line "\echo @end" (lib.sh, session_do):
#			RUN sql		runs it, prints the rows of its answer, "|" between
#			TIME sql	runs EXPLAIN ANALYZE of it, which computes the answer and
#						drops it as PostgreSQL's does; prints wall time in ms
#		and prints "@end" after each.  Tables are DuckDB's own, in memory.  A TIME ends
#		after SECONDS, with the error that PostgreSQL has for it.
import ctypes
import sys
import threading
import time


class Result(ctypes.Structure):
    _fields_ = [('numbers', ctypes.c_uint64 * 3), ('pointers', ctypes.c_void_p * 3)]


duckdb = ctypes.CDLL(sys.argv[1])
duckdb.duckdb_result_error.restype = ctypes.c_char_p
duckdb.duckdb_value_varchar.restype = ctypes.c_void_p
for name in 'row_count', 'column_count':
    getattr(duckdb, 'duckdb_' + name).restype = ctypes.c_uint64


def must(state, what):
    if state != 0:
        sys.exit('DuckDB: ' + what)


def connect(threads):
    config, database, connection = (ctypes.c_void_p() for _ in range(3))
    must(duckdb.duckdb_create_config(ctypes.byref(config)), 'no configuration')
    must(duckdb.duckdb_set_config(config, b'threads', threads.encode()), 'threads')
    must(duckdb.duckdb_open_ext(b':memory:', ctypes.byref(database), config, None), 'no database')
    must(duckdb.duckdb_connect(database, ctypes.byref(connection)), 'no connection')
    return connection


def value(result, column, row):
    text = duckdb.duckdb_value_varchar(ctypes.byref(result), ctypes.c_uint64(column), ctypes.c_uint64(row))
    if text is None:
        return 'null'
    answer = ctypes.string_at(text).decode()
    duckdb.duckdb_free(ctypes.c_void_p(text))
    return answer


def run(connection, sql):
    """The rows of its answer, as lists of strings"""
    result = Result()
    try:
        if duckdb.duckdb_query(connection, sql.encode(), ctypes.byref(result)) != 0:
            raise RuntimeError(duckdb.duckdb_result_error(ctypes.byref(result)).decode())
        columns = duckdb.duckdb_column_count(ctypes.byref(result))
        return [[value(result, column, row) for column in range(columns)]
                for row in range(duckdb.duckdb_row_count(ctypes.byref(result)))]
    finally:
        duckdb.duckdb_destroy_result(ctypes.byref(result))


def timed(connection, sql, seconds):
    late = threading.Event()

    def stop():
        late.set()
        duckdb.duckdb_interrupt(connection)

    timer = threading.Timer(seconds, stop)
    if seconds > 0:
        timer.start()
    try:
        start = time.perf_counter()
        run(connection, 'EXPLAIN ANALYZE ' + sql)
        return '%.3f' % ((time.perf_counter() - start) * 1e3)
    except RuntimeError:
        if late.is_set():
            raise RuntimeError('canceling statement due to statement timeout') from None
        raise
    finally:
        timer.cancel()


def answer(connection, request, seconds):
    verb, sql = request.strip().split(None, 1)
    try:
        if verb == 'TIME':
            return timed(connection, sql, seconds)
        return '\n'.join('|'.join(row) for row in run(connection, sql))
    except RuntimeError as error:
        return 'ERROR: %s' % error


def main():
    connection = connect(sys.argv[2])
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 0
    request = ''
    for line in sys.stdin:
        if line == '\\q\n':
            break
        if line != '\\echo @end\n':
            request += line
            continue
        print(answer(connection, request, seconds), '@end', sep='\n', flush=True)
        request = ''


main()
