// node twin.mjs BUNDLE JOB
//
// Runs the bundled lobby on the counting tables of host.mjs, since no server with V8 is at hand.
// Prints one line of JSON. JOB is JSON, either `{"describe": true}` for the module's definition as
// the host would get it, or `{"rooms", "clients", "owners", "views", "write"}`: seeds the rooms, has
// the first `owners` clients open practice rooms, subscribes each client to the views, and writes to
// every room once. Its answer holds what each write counted, and what the views returned in the end.

import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import * as host from './host.mjs';

// Servers have a newer V8 than Node 20, and the package makes use of it.
Set.prototype.isSubsetOf ??= function (other) {
  return [...this].every((item) => other.has(item));
};

const hooksOfNode = `export const resolve = (name, context, next) =>
  name.startsWith('spacetime:sys@')
    ? { url: ${JSON.stringify(new URL('./host.mjs', import.meta.url).href)}, shortCircuit: true }
    : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooksOfNode)}`);

const [bundle, jobText] = process.argv.slice(2);
const job = JSON.parse(jobText);
const module = await import(pathToFileURL(bundle));
const hooks = module.default[host.moduleHooks](module);
const { moduleDef } = module.default;

const RAW_SQL = 1; // else the rows themselves
const OWNER = 0n;
const client = (number) => BigInt(number + 1);

function call(reducer, sender, ...numbers) {
  const id = moduleDef.reducers.findIndex(({ sourceName }) => sourceName === reducer);
  const args = new DataView(new ArrayBuffer(8 * numbers.length));
  numbers.forEach((number, at) => args.setBigUint64(8 * at, BigInt(number), true));
  const seen = host.begin();
  hooks.__call_reducer__(id, sender, 0n, 0n, args);
  return seen;
}

/** One for each client and per-sender view, one for each anonymous view that a client wants. */
function instances() {
  const wanted = moduleDef.views.filter(({ sourceName }) => job.views.includes(sourceName));
  const clients = Array.from({ length: job.clients }, (_, number) => client(number));
  return wanted.flatMap(({ sourceName, index, isAnonymous }) =>
    (isAnonymous ? clients.slice(0, 1) : clients).map((sender) => ({
      view: sourceName,
      run: () =>
        isAnonymous
          ? hooks.__call_view_anon__(index, new Uint8Array())
          : hooks.__call_view__(index, sender, new Uint8Array()),
    })),
  );
}

function refresh(instance) {
  const { counts, reads } = host.begin();
  const returned = Buffer.from(instance.run().data);
  // A query is for the host to run: that reads a whole table, and nothing of it is counted.
  if (returned[0] === RAW_SQL) reads.add(host.whole({ name: /FROM "(\w+)"/.exec(returned)[1] }));
  instance.rows = returned.toString('hex');
  instance.reads = reads;
  return counts;
}

/** The write, then each instance that has read what it wrote: as in a server's transaction. */
function write(room, live) {
  const { counts, written } = call(job.write, OWNER, room);
  const total = { ...counts, calls: 0 };
  for (const instance of live) {
    if (![...written].some((key) => instance.reads.has(key))) continue;
    const { seeks, scanned } = refresh(instance);
    total.seeks += seeks;
    total.scanned += scanned;
    total.calls += 1;
  }
  return total;
}

function refusal(reducer, ...numbers) {
  try {
    call(reducer, client(0), ...numbers);
  } catch (error) {
    return { kind: error.constructor.name, message: error.message };
  }
}

function run() {
  host.clear((code) => hooks.__get_error_constructor__(code));
  call('seedRooms', OWNER, job.rooms);
  for (let owner = 0; owner < job.owners; owner++) call('openPracticeRoom', client(owner));
  const live = instances();
  live.forEach(refresh);
  const writes = Array.from({ length: job.rooms }, (_, room) => write(room, live));
  const refused = [refusal(job.write, job.rooms)];
  if (job.owners) refused.push(refusal('openPracticeRoom'));
  return { writes, refused, shown: live.map(({ view, rows }) => [view, rows]) };
}

const answer = job.describe ? Buffer.from(hooks.__describe_module__()).toString('hex') : run();
process.stdout.write(`${JSON.stringify(answer)}\n`);
