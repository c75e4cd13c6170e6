// The lobby module, as the official client sees it. Written by hand from modules/lobby/src/lib.rs
// with the same parts that `spacetime generate` puts together.

import {
  DbConnectionBuilder,
  DbConnectionImpl,
  makeQueryBuilder,
  procedures,
  reducerSchema,
  reducers,
  schema,
  t,
  table,
} from 'spacetimedb';

// Column order is the wire's order. Only the table has a key: a view declares none, so that a
// changed row of a view is a delete and an insert.
const activeGame = (room) => ({
  room,
  host: t.string(),
  bigBlind: t.u32().name('big_blind'),
  taken: t.u32(),
  street: t.u32(),
  pot: t.u64(),
});
const lobby = table({ name: 'lobby_projection' }, activeGame(t.u64().primaryKey()));
const view = (name) => table({ name }, activeGame(t.u64()));

const { schemaType } = schema({
  lobbyProjection: lobby,
  activeGamePerSender: view('active_game_per_sender'),
  activeGameAnonymous: view('active_game_anonymous'),
  myPracticeRoom: view('my_practice_room'),
});

const { reducersType } = reducers(
  reducerSchema('seed_rooms', { n: t.u64() }),
  reducerSchema('settle_street', { room: t.u64() }),
  reducerSchema('settle_street_projected', { room: t.u64() }),
  reducerSchema('open_practice_room', {}),
);

const MODULE = {
  versionInfo: { cliVersion: '2.10.1' },
  tables: schemaType.tables,
  reducers: reducersType.reducers,
  ...procedures(),
};

export const tables = makeQueryBuilder(schemaType);

export class DbConnection extends DbConnectionImpl {
  static builder() {
    return new DbConnectionBuilder(MODULE, (config) => new DbConnection(config));
  }
}
