// node client.mjs URL DATABASE [SETTINGS]
//
// Two players of a lobby, and one who comes back, all through the official client. Prints one line
// of JSON with what they saw. SETTINGS is JSON: `rooms` the lobby was seeded with (4), `protocol`
// to offer the server one subprotocol only; `compression`, `confirmedReads` and `lightMode` go to
// the builder.

import { setGlobalLogLevel } from 'spacetimedb';
import { DbConnection, tables } from './bindings.mjs';

const LIMIT_S = 20;

const [url, database, settingsText = '{}'] = process.argv.slice(2);
const settings = JSON.parse(settingsText);
const rooms = BigInt(settings.rooms ?? 4);
let step = 'starting';

function fail(reason) {
  process.stderr.write(`${step}: ${reason?.message || reason}\n`);
  process.exit(1);
}

setTimeout(() => fail(`not done ${LIMIT_S} s after the start`), LIMIT_S * 1000);
process.on('unhandledRejection', fail);
process.on('uncaughtException', fail);
setGlobalLogLevel('warn');
console.log = console.error; // the client logs to stdout, which is for the result

if (settings.protocol) {
  const WebSocket = globalThis.WebSocket ?? (await import('undici')).WebSocket;
  globalThis.WebSocket = class extends WebSocket {
    constructor(address) {
      super(address, [settings.protocol]);
    }
  };
}

function connect(token) {
  return new Promise((resolve) => {
    const builder = DbConnection.builder()
      .withUri(url)
      .withDatabaseName(database)
      .withToken(token)
      .onConnect(resolve)
      .onConnectError((_, error) => fail(error))
      .onDisconnect((connection, error) => {
        if (!connection.isDisconnectRequested) fail(error ?? 'the server closed the connection');
        connection.closed();
      });
    if ('compression' in settings) builder.withCompression(settings.compression);
    if ('confirmedReads' in settings) builder.withConfirmedReads(settings.confirmedReads);
    if ('lightMode' in settings) builder.withLightMode(settings.lightMode);
    builder.build();
  });
}

function subscribe(connection, queries) {
  return new Promise((resolve) => {
    const handle = connection
      .subscriptionBuilder()
      .onApplied(() => resolve(handle))
      .onError(({ event }) => fail(event))
      .subscribe(queries);
  });
}

function refusal(connection, query) {
  return new Promise((resolve) => {
    connection
      .subscriptionBuilder()
      .onApplied(() => fail(`${query} was accepted`))
      .onError(({ event }) => resolve(event.message))
      .subscribe(query);
  });
}

// Row callbacks, grouped by the message that brought them, under the name of its cause: the
// reducer for the caller, and for all others just "Transaction".
function watch(connection) {
  const messages = [];
  let last;
  const note = ({ event }, text) => {
    const cause = event.value?.reducer?.name ?? event.tag;
    if (event.id !== last) messages.push({ cause, rows: [] });
    last = event.id;
    messages.at(-1).rows.push(text);
  };
  const show = ({ room, street, pot }) => `${room} street ${street} pot ${pot}`;
  for (const [name, cache] of Object.entries(connection.db)) {
    cache.onInsert((ctx, row) => note(ctx, `${name} + ${show(row)}`));
    cache.onDelete((ctx, row) => note(ctx, `${name} - ${show(row)}`));
    cache.onUpdate((ctx, old, row) => note(ctx, `${name} ${show(old)} -> ${show(row)}`));
  }
  return messages;
}

async function until(happened) {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function counts(connection) {
  const caches = Object.entries(connection.db);
  return Object.fromEntries(caches.map(([name, cache]) => [name, Number(cache.count())]));
}

function close(connection) {
  const closed = new Promise((resolve) => (connection.closed = resolve));
  connection.disconnect();
  return closed;
}

step = 'connecting';
const player = await connect();
const other = await connect();
const playerSaw = watch(player);
const otherSaw = watch(other);

step = 'subscribing';
const lobby = [tables.lobbyProjection, tables.activeGamePerSender, tables.activeGameAnonymous];
for (const connection of [player, other]) {
  await subscribe(connection, lobby);
}
const personal = await subscribe(player, 'SELECT * FROM my_practice_room');
await subscribe(other, 'SELECT * FROM my_practice_room');
const initial = [...player.db.activeGameAnonymous.iter()].find(({ room }) => room === 3n);
const subscribed = counts(player);

step = 'calling reducers';
await player.reducers.settleStreetProjected({ room: 3n });
await player.reducers.settleStreet({ room: 2n });
await player.reducers.openPracticeRoom({});
const error = await player.reducers.settleStreet({ room: rooms }).catch((reason) => reason);
await player.reducers.seedRooms({ n: rooms + 1n });

step = 'waiting for the same rows at the other player';
await until(() => other.db.lobbyProjection.count() === rooms + 1n);
const ends = { player: counts(player), other: counts(other) };

step = 'subscribing to a table that is not there';
const unknown = await refusal(player, 'SELECT * FROM nowhere');

step = 'unsubscribing';
await new Promise((resolve) => personal.unsubscribeThen(resolve));
await until(() => player.db.myPracticeRoom.count() === 0n);

step = 'disconnecting';
const protocol = player.ws.protocol;
await Promise.all([close(player), close(other)]);

step = 'coming back with the token';
const returned = await connect(player.token);
await subscribe(returned, tables.myPracticeRoom);
const kept = counts(returned).myPracticeRoom;
await close(returned);

const seen = {
  protocol,
  identities: [player, other, returned].map(({ identity }) => identity.toHexString()),
  initial: { ...initial, room: Number(initial.room), pot: Number(initial.pot) },
  subscribed,
  player: playerSaw,
  other: otherSaw,
  ends,
  error: { kind: error.constructor.name, message: error.message },
  unknown,
  kept,
};
process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit(0));
