// What a server gives to a JavaScript module, as far as the lobby asks for it. The tables are in
// memory; reads are counted and noted by the engine's rules: a look-up in an index is one seek and
// reads one key, a row count reads the whole table, an update or insert is no seek.

export const moduleHooks = Symbol('moduleHooks');

/** Of the call, or calls, since `begin`. */
let counts, reads, written;

export function begin() {
  counts = { seeks: 0, scanned: 0 };
  reads = new Set();
  written = new Set();
  return { counts, reads, written };
}

// Every table has its primary key in its first column: a u64, but for one an identity.
const KEY_BYTES = { practiceRoom: 32 };
const hex = (buffer, length) => Buffer.from(buffer, 0, length).toString('hex');
export const whole = ({ name }) => `${name} whole`;

const tables = [];
const cursors = [];
let makeError;

/** `errorOf` gives the constructor of an error code, as the module has it. */
export function clear(errorOf) {
  for (const table of tables) table.rows.clear();
  makeError = errorOf;
}

export function table_id_from_name(name) {
  const known = tables.findIndex((table) => table.name === name);
  if (known >= 0) return known;
  return tables.push({ name, keyBytes: KEY_BYTES[name] ?? 8, rows: new Map() }) - 1;
}

// Named after its table, which stands in for it: there is but one index a table.
export function index_id_from_name(name) {
  return table_id_from_name(name.split('_')[0]);
}

export function datastore_table_row_count(id) {
  reads.add(whole(tables[id]));
  return BigInt(tables[id].rows.size);
}

export function datastore_index_scan_point_bsatn(id, point, length) {
  const table = tables[id];
  const key = hex(point, length);
  const row = table.rows.get(key);
  reads.add(`${table.name} ${key}`);
  counts.seeks += 1;
  counts.scanned += row ? 1 : 0;
  return cursors.push(row) - 1;
}

/** All there is at once: less its length, as the cursor ends with it. */
export function row_iter_bsatn_advance(cursor, buffer) {
  const row = cursors[cursor];
  if (!row) return 0;
  Buffer.from(buffer).set(row);
  return -row.length;
}

export function row_iter_bsatn_close() {}

function put(table, buffer, length) {
  const key = hex(buffer, table.keyBytes);
  table.rows.set(key, Buffer.from(buffer.slice(0, length)));
  written.add(whole(table)).add(`${table.name} ${key}`);
}

export function datastore_insert_bsatn(id, buffer, length) {
  if (tables[id].rows.has(hex(buffer, tables[id].keyBytes))) {
    throw new (makeError(12))('value with given unique identifier already exists');
  }
  put(tables[id], buffer, length);
  return length;
}

export function datastore_update_bsatn(id, _index, buffer, length) {
  put(tables[id], buffer, length);
  return length;
}

export function console_log(_level, message) {
  process.stderr.write(`${message}\n`);
}
