//! Accounts and transfers between them: the smallest write that must not go wrong, for comparing
//! the ways by which it can be called.

use spacetimedb::{ReducerContext, Table, reducer, table};

/// What every account holds at first.
const OPENING_BALANCE: u64 = 1_000_000;

#[table(accessor = account)]
pub struct Account {
    #[primary_key]
    id: u32,
    balance: u64,
}

/// Makes the accounts 0..n, keeping those that exist; call it with a growing `n` to make many.
#[reducer]
fn seed_accounts(ctx: &ReducerContext, n: u32) {
    for id in ctx.db.account().count() as u32..n {
        ctx.db.account().insert(Account {
            id,
            balance: OPENING_BALANCE,
        });
    }
}

fn account(ctx: &ReducerContext, id: u32) -> Result<Account, String> {
    let found = ctx.db.account().id().find(id);
    found.ok_or_else(|| format!("no account {id}"))
}

/// Two finds, two updates. The total over all accounts stays what it was.
#[reducer]
fn transfer(ctx: &ReducerContext, from: u32, to: u32, amount: u64) -> Result<(), String> {
    if from == to {
        return Err(format!("account {from} cannot pay itself"));
    }
    let mut payer = account(ctx, from)?;
    let mut payee = account(ctx, to)?;
    let left = payer.balance.checked_sub(amount);
    payer.balance = left.ok_or_else(|| format!("account {from} holds less than {amount}"))?;
    let sum = payee.balance.checked_add(amount);
    payee.balance = sum.ok_or_else(|| format!("account {to} cannot hold {amount} more"))?;
    let accounts = ctx.db.account().id();
    accounts.update(payer);
    accounts.update(payee);
    Ok(())
}
