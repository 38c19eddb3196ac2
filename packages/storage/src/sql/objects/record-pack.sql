-- Functions that record packs (objects.ts). docs/formats.md has the pack file.

/*
 * Whether an object is read through exactly these bases, link by link. A base that was stored anew stands alone, so a delta to it may
 * have a shorter chain than its row says, which names the bases needed when it was written.
 */
create function is_read_through(object_hash text, object_kind text, chain text[]) returns boolean language sql stable as $$
  select bool_and(o.bases[1] is not distinct from (chain[link + 1] collate "C")) and count(o.hash) = cardinality(chain) + 1
  from generate_series(0, cardinality(chain)) as link
    left join objects o on o.kind = object_kind and o.hash = (case link when 0 then object_hash else chain[link] end) collate "C"
$$;
--> statement-breakpoint

/*
 * Makes sure that objects may be relied on until the transaction ends: pardons them and their bases (sweeps.ts). The caller has passed the
 * sweep gate in an earlier statement, so that this sees whatever was condemned before.
 * chains: what the bases of each must be, with spaces between them; null: they do not matter.
 * Raises UL001 `objects_swept`, with the objects as JSON in its detail, when one is gone or stored otherwise.
 */
create function rely_on(hashes text[], kinds text[], chains text[]) returns void language plpgsql as $$
declare
  missing jsonb;
begin
  with relied as (
    select o.hash, o.kind, o.bases from unnest(hashes, kinds) as asked (hash, kind) join objects o using (hash, kind)),
  wanted as (select hash, kind from relied union select unnest(bases) collate "C", kind from relied)
  update objects o set condemned = null from wanted
  where o.hash = wanted.hash and o.kind = wanted.kind and o.condemned is not null;

  select jsonb_agg(jsonb_build_object('hash', asked.hash, 'kind', asked.kind)) into missing
  from unnest(hashes, kinds, chains) as asked (hash, kind, chain)
  where not exists (
    select from objects o
    where o.hash = asked.hash and o.kind = asked.kind
      and (asked.chain is null or array_to_string(o.bases, ' ') = asked.chain
        or is_read_through(asked.hash, asked.kind, string_to_array(asked.chain, ' ')))
      and not exists (
        select from unnest(o.bases) as chained (base)
        where not exists (select from objects b where b.hash = chained.base collate "C" and b.kind = o.kind)));
  if missing is not null then
    raise exception 'objects_swept' using errcode = 'UL001', detail = missing::text;
  end if;
end $$;
--> statement-breakpoint

/*
 * Records where objects of a pack lie: the arrays have an element for each, ascending by name, so that two commits with objects in common
 * wait for one another. Those that the index holds keep their place. Returns how many it lacked.
 */
create function record_objects(
  pack integer, hashes text[], kinds text[], offsets bigint[], lengths integer[], crcs bigint[], checksums text[], chains text[]
) returns integer language plpgsql as $$
declare
  recorded integer;
begin
  insert into objects (hash, kind, pack_id, "offset", length, crc, checksum, bases)
  select entry.hash, entry.kind, pack, entry."offset", entry.length, entry.crc, entry.checksum, string_to_array(entry.chain, ' ')
  from unnest(hashes, kinds, offsets, lengths, crcs, checksums, chains)
    as entry (hash, kind, "offset", length, crc, checksum, chain)
  on conflict (hash, kind) do nothing;
  get diagnostics recorded = row_count;
  return recorded;
end $$;
--> statement-breakpoint

/*
 * Records a pack with the first of its objects, passing the sweep gate as a commit. Returns its id.
 * is_whole: there are no more, so that those which the index holds are relied on at once; their bases may lie among the others.
 * inline_content: the pack's bytes, which the database keeps until compaction; null: they are in the blob store. An inline pack of which
 * the index lacked nothing is not kept: null is returned.
 */
create function record_pack(
  pack_name text, pack_bytes bigint, live_bytes bigint, inline_content bytea, is_whole boolean,
  hashes text[], kinds text[], offsets bigint[], lengths integer[], crcs bigint[], checksums text[], chains text[]
) returns integer language plpgsql as $$
declare
  pack integer;
  recorded integer;
begin
  perform pg_advisory_xact_lock_shared(1937204592); -- sweepGate of objects.ts
  insert into packs (name, bytes, object_bytes, created_at) values (pack_name, pack_bytes, live_bytes, now()) returning id into pack;
  recorded := record_objects(pack, hashes, kinds, offsets, lengths, crcs, checksums, chains);
  if is_whole and recorded < cardinality(hashes) then perform rely_on(hashes, kinds, null); end if;
  if inline_content is null then return pack; end if;
  if recorded = 0 and cardinality(hashes) > 0 then
    delete from packs where id = pack;
    return null;
  end if;
  insert into inline_packs (name, content) values (pack_name, inline_content);
  return pack;
end $$;
