// The lobby of modules/lobby in TypeScript: the same tables, reducers and views, and as many seeks.

import {
  type AnonymousViewCtx,
  type InferSchema,
  type ReducerCtx,
  SenderError,
  type ViewCtx,
  errors,
  schema,
  t,
  table,
} from 'spacetimedb/server';

// A room as the lobby shows it: the row of the views, and of the table that replaces them. Only the
// table has a key, so that a view holds its rows as that of the Rust module does.
const columns = {
  room: t.u64(),
  host: t.string(),
  bigBlind: t.u32(),
  taken: t.u32(),
  street: t.u32(),
  pot: t.u64(),
};
const ActiveGame = t.object('ActiveGame', columns);

const room = table(
  {},
  { id: t.u64().primaryKey(), listed: t.bool(), street: t.u32(), pot: t.u64() },
);

const lobby = schema({
  room,
  host: table({}, { room: t.u64().primaryKey(), name: t.string() }),
  stakes: table({}, { room: t.u64().primaryKey(), smallBlind: t.u32(), bigBlind: t.u32() }),
  seating: table({}, { room: t.u64().primaryKey(), taken: t.u32(), capacity: t.u32() }),
  lobbyProjection: table({ public: true }, { ...columns, room: t.u64().primaryKey() }),
  // A room that only its owner sees.
  practiceRoom: table({}, { owner: t.identity().primaryKey(), game: ActiveGame }),
});
export default lobby;

type Lobby = InferSchema<typeof lobby>;
type Reader = AnonymousViewCtx<Lobby>['db'];

/** Practice rooms are numbered from here, far above the rooms. */
const FIRST_PRACTICE_ROOM = 1n << 32n;

/** Four seeks. */
function activeGame(db: Reader, id: bigint) {
  const room = db.room.id.find(id);
  if (!room?.listed) return undefined;
  const host = db.host.room.find(id);
  const stakes = host && db.stakes.room.find(id);
  const seating = stakes && db.seating.room.find(id);
  if (!seating) return undefined;
  return {
    room: id,
    host: host.name,
    bigBlind: stakes.bigBlind,
    taken: seating.taken,
    street: room.street,
    pot: room.pot,
  };
}

/** The body both lobby views share: four seeks a room. */
function activeGames(db: Reader) {
  const games = [];
  const count = db.room.count();
  for (let id = 0n; id < count; id++) {
    const game = activeGame(db, id);
    if (game) games.push(game);
  }
  return games;
}

function practiceGame(ctx: ViewCtx<Lobby>) {
  return ctx.db.practiceRoom.owner.find(ctx.sender)?.game;
}

/** Re-run for every connected identity on every write to a room. */
export const activeGamePerSender = lobby.view({ public: true }, t.array(ActiveGame), (ctx) => {
  const games = activeGames(ctx.db);
  const own = practiceGame(ctx);
  return own ? [...games, own] : games;
});

/** Re-run once per write, however many clients watch it. */
export const activeGameAnonymous = lobby.anonymousView(
  { public: true },
  t.array(ActiveGame),
  (ctx) => activeGames(ctx.db),
);

/** A query is all this returns: the engine runs it, anew for every client on every write. */
export const listedRoomQueryPerSender = lobby.view({ public: true }, t.array(room.rowType), (ctx) =>
  ctx.from.room.where((room) => room.listed.eq(true)),
);

/** The same query, run anew once per write. */
export const listedRoomQueryAnonymous = lobby.anonymousView(
  { public: true },
  t.array(room.rowType),
  (ctx) => ctx.from.room.where((room) => room.listed.eq(true)),
);

/** The personal part of the lobby: one seek, and no write to a room wakes it. */
export const myPracticeRoom = lobby.view({ public: true }, t.option(ActiveGame), practiceGame);

/** Makes the rooms 0..n, keeping those that exist. */
export const seedRooms = lobby.reducer({ n: t.u64() }, (ctx, { n }) => {
  for (let id = ctx.db.room.count(); id < n; id++) {
    ctx.db.room.insert({ id, listed: true, street: 0, pot: 0n });
    ctx.db.host.insert({ room: id, name: `host-${id}` });
    ctx.db.stakes.insert({ room: id, smallBlind: 1, bigBlind: 2 });
    ctx.db.seating.insert({ room: id, taken: 3, capacity: 6 });
    const game = activeGame(ctx.db, id);
    if (game) ctx.db.lobbyProjection.insert(game);
  }
});

/** Opens the caller's practice room. */
export const openPracticeRoom = lobby.reducer((ctx) => {
  const rooms = ctx.db.practiceRoom;
  const game = {
    room: FIRST_PRACTICE_ROOM + rooms.count(),
    host: 'practice',
    bigBlind: 2,
    taken: 1,
    street: 0,
    pot: 0n,
  };
  try {
    rooms.insert({ owner: ctx.sender, game });
  } catch (error) {
    if (error instanceof errors.UniqueAlreadyExists) throw new SenderError(error.message);
    throw error;
  }
});

/** One find, one update. The pot grows, so the room differs after every call. */
function advance(ctx: ReducerCtx<Lobby>, id: bigint) {
  const room = ctx.db.room.id.find(id);
  if (!room) throw new SenderError(`no room ${id}`);
  return ctx.db.room.id.update({
    ...room,
    street: (room.street + 1) % 4,
    pot: room.pot + 10n,
  });
}

/** The write that is measured. */
export const settleStreet = lobby.reducer({ room: t.u64() }, (ctx, { room }) => {
  advance(ctx, room);
});

/** The same write, which keeps the projection up to date itself: no view to run. */
export const settleStreetProjected = lobby.reducer({ room: t.u64() }, (ctx, { room }) => {
  const { street, pot } = advance(ctx, room);
  const games = ctx.db.lobbyProjection.room;
  const game = games.find(room);
  if (!game) throw new SenderError(`no room ${room}`);
  games.update({ ...game, street, pot });
});
