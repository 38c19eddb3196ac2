-- What accounts have stored, and whether that is more than they may: see usage.ts.

/*
 * Bytes that count for each collection of an account: `stored`, what its versions and files added to the store (`collections.stored_bytes`),
 * and, of a fork, `inherited`: what its first version came with, as long as it has versions that are not erased. While the source has that
 * version, too, it counts for the source alone. A source that the account may not see counts as deleted, so that its deletion changes no figure.
 */
create function usage_of(account uuid) returns table (slug text, stored bigint, inherited bigint) language sql stable as $$
  select c.slug, c.stored_bytes, coalesce(fork.bytes, 0) from collections c left join lateral (
    select first.full_bytes as bytes from versions first
      where c.forked_from_id is not null and first.collection_id = c.id and (first.major, first.minor, first.patch) = (1, 0, 0)
        and exists (select from versions v where v.collection_id = c.id and v.erasure is distinct from 'done')
        and not exists (
          select from collections source join versions v on v.collection_id = source.id
            and v.major = split_part(substr(c.forked_from_semver, 2), '.', 1)::integer
            and v.minor = split_part(c.forked_from_semver, '.', 2)::integer
            and v.patch = split_part(c.forked_from_semver, '.', 3)::integer
          where source.id = c.forked_from_id and (source.public or source.owner_id = account)
            and v.erasure is distinct from 'done')
  ) fork on true
  where c.owner_id = account
$$;
--> statement-breakpoint

create function used_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(stored + inherited), 0)::bigint from usage_of(account)
$$;
--> statement-breakpoint

/* Bytes that push sessions have received for collections of an account and not committed: what they were opened with, and spills. */
create function received_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(
      coalesce(pg_column_size(p.files), 0) + coalesce(pg_column_size(p.metadata), 0) + coalesce(pg_column_size(p.schemas), 0)
      + (select coalesce(sum(s.bytes), 0) from push_spills s where s.push_id = p.id)), 0)::bigint
    from pushes p join collections c on c.id = p.collection_id and c.owner_id = account
    where p.status in ('open', 'checking', 'committing')
$$;
--> statement-breakpoint

/* Whose quota counts for what an account stores: of an organization without a quota of its own the user who made it, else the account. */
create function charged_account(account uuid) returns uuid language sql stable as $$
  select coalesce((select org.made_by from accounts org where org.id = account and org.quota_bytes is null), account)
$$;
--> statement-breakpoint

/* The accounts that share a quota with an account, itself included. */
create function sharing_quota(account uuid) returns setof uuid language sql stable as $$
  select charged_account(account)
  union select org.id from accounts org where org.made_by = charged_account(account) and org.quota_bytes is null
$$;
--> statement-breakpoint

/* Bytes that an account may have stored together with those that share its quota. Null: as many as they like. */
create function quota_bytes(account uuid, usual bigint) returns bigint language sql stable as $$
  select coalesce((select a.quota_bytes from accounts a where a.id = charged_account(account)), usual)
$$;
--> statement-breakpoint

/* What counts for that quota. */
create function charged_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(used_bytes(id)), 0)::bigint from sharing_quota(account) as sharing (id)
$$;
--> statement-breakpoint

create function charged_received_bytes(account uuid) returns bigint language sql stable as $$
  select coalesce(sum(received_bytes(id)), 0)::bigint from sharing_quota(account) as sharing (id)
$$;
--> statement-breakpoint

/*
 * Subtracts, once, what erased versions of a collection had added, except for versions that a version not erased builds on. A version
 * needs only what it added itself and what its bases added.
 */
create function give_back(collection uuid) returns void language sql as $$
  with recursive needed as (
    select v.id, v.base_semver from versions v where v.collection_id = collection and v.erasure is distinct from 'done'
    union
    select base.id, base.base_semver from needed join versions base on base.collection_id = collection
      and needed.base_semver = 'v' || base.major || '.' || base.minor || '.' || base.patch
  ), given as (
    update versions v set stored_bytes = 0 from versions before
      where v.id = before.id and v.collection_id = collection and v.erasure = 'done' and v.stored_bytes > 0
        and v.id not in (select id from needed)
      returning before.stored_bytes as bytes
  )
  update collections set stored_bytes = greatest(0, stored_bytes - (select coalesce(sum(bytes), 0) from given)) where id = collection
$$;
