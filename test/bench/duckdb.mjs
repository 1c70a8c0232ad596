// duckdb.mjs THREADS
//		DuckDB as an engine of the benchmarks.  Reads requests from standard
//		input, each ended by a line "\echo @end" (lib.sh, session_do):
//			RUN sql		runs it, prints the rows of its answer, "|" between
//			TIME sql	runs EXPLAIN ANALYZE of it, which computes the answer and
//						drops it as PostgreSQL's does; prints wall time in ms
//		and prints "@end" after each.  Tables are DuckDB's own, in memory.
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { threads: process.argv[2] });
const connection = await instance.connect();

async function answer(request) {
	const [, verb, sql] = /^(\w+)\s+([\s\S]*)$/.exec(request.trim());
	if (verb === 'TIME') {
		const start = process.hrtime.bigint();
		await connection.run('EXPLAIN ANALYZE ' + sql);
		return (Number(process.hrtime.bigint() - start) / 1e6).toFixed(3) + '\n';
	}
	const rows = (await connection.runAndReadAll(sql)).getRows();
	return rows.map((row) => row.map(String).join('|') + '\n').join('');
}

let request = '';
for await (const line of createInterface({ input: process.stdin })) {
	if (line === '\\q')
		break;
	if (line !== '\\echo @end') {
		request += line + '\n';
		continue;
	}
	try {
		process.stdout.write(await answer(request));
	} catch (error) {
		process.stdout.write('ERROR: ' + error.message + '\n');
	}
	process.stdout.write('@end\n');
	request = '';
}
process.exit(0);
