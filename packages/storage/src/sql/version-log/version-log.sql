-- The signed log (version-log.ts). Erasures leave the leaves, which say nothing without their statement and salts.

-- The lock waits for leaves that another transaction is writing; erasures do not wait for each other.
create function forget_statements_of_collection() returns trigger language plpgsql as $$
begin
  perform from log_state for share;
  update log_leaves set collection_id = null, version_id = null, name = null, statement = null, salt = null, full_salt = null,
      commitment = null
    where collection_id = old.id;
  delete from log_heads where collection_id = old.id;
  return null;
end $$;

create function forget_statement_of_version() returns trigger language plpgsql as $$
begin
  perform from log_state for share;
  update log_leaves set name = null, statement = null, salt = null, full_salt = null where version_id = new.id;
  return null;
end $$;

create trigger collections_forgotten after delete on collections for each row execute function forget_statements_of_collection();
create trigger versions_forgotten after update of erasure on versions for each row
  when (old.erasure is null and new.erasure is not null) execute function forget_statement_of_version();

-- One row, however many collections the account has: the sequencer replaces it by one for each.
create function note_account_name() returns trigger language plpgsql as $$
begin
  insert into log_queue (at, kind, account_id) values (clock_timestamp(), 'account.renamed', new.id);
  return null;
end $$;

create trigger accounts_renamed after update of slug on accounts for each row
  when (old.slug <> new.slug) execute function note_account_name();
