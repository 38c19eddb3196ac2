-- A key that is limited to collections is revoked with the last of them (keys.ts).

/*
 * Locks the key first: of two collections that are deleted at the same time, the second transaction then sees that the first row is gone.
 */
create function revoke_empty_key() returns trigger language plpgsql as $$
begin
  perform from api_keys where id = old.key_id for update;
  delete from api_keys where id = old.key_id and not exists (select from key_collections where key_id = old.key_id);
  return null;
end $$;
--> statement-breakpoint

create trigger revoke_empty_key after delete on key_collections for each row execute function revoke_empty_key();
