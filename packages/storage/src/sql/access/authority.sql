-- Checks that a request's authority is good, and locks it until the transaction ends (authority.ts).

/*
 * Locks a credential: an API key or a browser session, or neither. It is good if it has not expired and its account is not suspended. A
 * suspension locks the credentials too, so this waits for it; a separate statement then reads the account, and sees changes made meanwhile.
 */
create function hold_credential(account uuid, key uuid, session text, asked_at timestamptz) returns boolean language plpgsql as $$
begin
  if key is not null then
    perform from api_keys where id = key and (expires_at is null or expires_at > asked_at) for key share;
    if not found then return false; end if;
  end if;
  if session is not null then
    perform from browser_sessions where token_hash = session and expires_at > asked_at for key share;
    if not found then return false; end if;
  end if;
  return not exists (select from accounts where id = account and suspended_at is not null);
end $$;
--> statement-breakpoint

/*
 * Locks the membership or the grant, then the credential. authority: {ownerId, accountId, roles, collectionId, grants, key, session, now}; the
 * account is the owner itself, has one of the roles in it, or one of the grants on the collection. A key with a `role_cap` has that role at most.
 */
create function hold_authority(authority jsonb) returns boolean language plpgsql as $$
declare
  account uuid := authority->>'accountId';
begin
  if account = (authority->>'ownerId')::uuid then
    if not authority->'roles' ? 'owner' then return false; end if;
  else
    perform from members
      where org_id = (authority->>'ownerId')::uuid and user_id = account and authority->'roles' ? role for share;
    if not found then
      perform from collaborators
        where collection_id = (authority->>'collectionId')::uuid and user_id = account and authority->'grants' ? level for share;
      if not found then return false; end if;
    end if;
  end if;
  if not authority->'roles' ? 'member' then
    perform from api_keys where id = (authority->>'key')::uuid and role_cap = 'member';
    if found then return false; end if;
  end if;
  return hold_credential(
    account, (authority->>'key')::uuid, authority->>'session', (authority->>'now')::timestamptz);
end $$;
