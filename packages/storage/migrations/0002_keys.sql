-- Keys may be limited to several collections.
CREATE TABLE "key_collections" (
	"key_id" uuid NOT NULL,
	"collection_id" uuid NOT NULL,
	CONSTRAINT "key_collections_key_id_collection_id_pk" PRIMARY KEY("key_id","collection_id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_collection_id_collections_id_fk";
--> statement-breakpoint
DROP INDEX "api_keys_collection";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "limited" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "key_collections" ADD CONSTRAINT "key_collections_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_collections" ADD CONSTRAINT "key_collections_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_collections_collection" ON "key_collections" USING btree ("collection_id");--> statement-breakpoint
insert into key_collections (key_id, collection_id) select id, collection_id from api_keys where collection_id is not null;--> statement-breakpoint
update api_keys set limited = true where collection_id is not null;--> statement-breakpoint
ALTER TABLE "api_keys" DROP COLUMN "collection_id";
--> statement-breakpoint
drop trigger if exists revoke_empty_key on key_collections;
--> statement-breakpoint
drop function if exists revoke_empty_key;
--> statement-breakpoint
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
