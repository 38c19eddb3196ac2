-- What accounts have stored, and whether that is more than they may: see usage.ts.

/*
 * Bytes that count for each collection of an account: `stored`, what its versions and files added to the store (`collections.stored_bytes`),
 * and `inherited`, what its first version holds of a source that is gone. While the source is there, that counts for the source alone.
 */
create function usage_of(account uuid) returns table (slug text, stored bigint, inherited bigint) language sql stable as $$
  select c.slug, c.stored_bytes, coalesce((
    select v.full_bytes from versions v
      where v.collection_id = c.id and v.major = 1 and v.minor = 0 and v.patch = 0 and v.erasure is distinct from 'done'
        and c.forked_from_id is not null and not exists (select from collections source where source.id = c.forked_from_id)
  ), 0)
  from collections c where c.owner_id = account
$$;
--> statement-breakpoint

create function used_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(stored + inherited), 0)::bigint from usage_of(account)
$$;
--> statement-breakpoint

/* Bytes that push sessions have received for collections of an account and not committed. */
create function received_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(s.bytes), 0)::bigint from pushes p
    join collections c on c.id = p.collection_id and c.owner_id = account
    join push_spills s on s.push_id = p.id
    where p.status in ('open', 'checking', 'committing')
$$;
--> statement-breakpoint

/* Bytes that an account may have stored: its own figure, else `usual`. Null: as many as it likes. */
create function quota_bytes(account uuid, usual bigint) returns bigint language sql stable as $$
  select coalesce((select a.quota_bytes from accounts a where a.id = account), usual)
$$;
