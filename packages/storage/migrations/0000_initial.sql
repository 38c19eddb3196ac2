CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"start" text NOT NULL,
	"label" text NOT NULL,
	"scope" text NOT NULL,
	"collection_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash"),
	CONSTRAINT "api_keys_scope" CHECK ("api_keys"."scope" in ('read', 'write', 'admin'))
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"type" text NOT NULL,
	"display_name" text NOT NULL,
	"email" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "accounts_slug_unique" UNIQUE("slug"),
	CONSTRAINT "accounts_type" CHECK ("accounts"."type" in ('user', 'org'))
);
--> statement-breakpoint
CREATE TABLE "former_account_slugs" (
	"slug" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"issuer" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"account_id" uuid NOT NULL,
	CONSTRAINT "identities_issuer_subject_pk" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "members" (
	"org_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "members_org_id_user_id_pk" PRIMARY KEY("org_id","user_id"),
	CONSTRAINT "members_role" CHECK ("members"."role" in ('owner', 'admin', 'member'))
);
--> statement-breakpoint
CREATE TABLE "collection_words" (
	"collection_id" uuid PRIMARY KEY NOT NULL,
	"name" "tsvector" NOT NULL,
	"owner" "tsvector" NOT NULL,
	"description" "tsvector" NOT NULL,
	"head_description" "tsvector"
);
--> statement-breakpoint
CREATE TABLE "collections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"name" text NOT NULL,
	"folded_name" text COLLATE "C" NOT NULL,
	"description" text,
	"public" boolean NOT NULL,
	"head_id" uuid,
	"head_description" text,
	"forked_from_id" uuid,
	"forked_from_semver" text,
	"ancestors" uuid[] DEFAULT '{}'::uuid[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_collection_slugs" (
	"owner_id" uuid NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"collection_id" uuid NOT NULL,
	CONSTRAINT "former_collection_slugs_owner_id_slug_pk" PRIMARY KEY("owner_id","slug")
);
--> statement-breakpoint
CREATE TABLE "collection_files" (
	"collection_id" uuid NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"content_type" text NOT NULL,
	"in_full" boolean DEFAULT false NOT NULL,
	"in_public" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"uploaded_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "collection_files_collection_id_hash_pk" PRIMARY KEY("collection_id","hash")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"size" bigint NOT NULL,
	"used" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inline_packs" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "objects" (
	"hash" text COLLATE "C" NOT NULL,
	"kind" text NOT NULL,
	"pack_id" integer NOT NULL,
	"offset" bigint NOT NULL,
	"length" integer NOT NULL,
	"crc" bigint NOT NULL,
	"checksum" text COLLATE "C",
	"bases" text[] DEFAULT '{}'::text[] NOT NULL,
	"condemned" uuid,
	CONSTRAINT "objects_hash_kind_pk" PRIMARY KEY("hash","kind"),
	CONSTRAINT "objects_kind" CHECK ("objects"."kind" in ('plain', 'body'))
);
--> statement-breakpoint
CREATE TABLE "packs" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "packs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"name" text COLLATE "C" NOT NULL,
	"bytes" bigint NOT NULL,
	"object_bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "packs_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "blobs_set_aside" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"bytes" bigint NOT NULL,
	"since" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "push_spills" (
	"push_id" uuid NOT NULL,
	"sequence" integer NOT NULL,
	"role" text NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"entries" integer NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "push_spills_push_id_sequence_pk" PRIMARY KEY("push_id","sequence"),
	CONSTRAINT "push_spills_role" CHECK ("push_spills"."role" in ('records', 'manifest', 'schemas'))
);
--> statement-breakpoint
CREATE TABLE "pushes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"account_id" uuid NOT NULL,
	"committer_id" uuid,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"base_id" uuid,
	"base_semver" text,
	"schemas_hash" text,
	"schemas" text,
	"metadata" text,
	"files" text[] DEFAULT '{}'::text[] NOT NULL,
	"strip_unknown_fields" boolean DEFAULT false NOT NULL,
	"message" text,
	"app_id" text,
	"actor_id" text,
	"manifest_expected" bigint,
	"received_records" bigint DEFAULT 0 NOT NULL,
	"result" json,
	"error" json,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"records_done" bigint DEFAULT 0 NOT NULL,
	"records_total" bigint DEFAULT 0 NOT NULL,
	"lease_holder" uuid,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "pushes_status" CHECK ("pushes"."status" in ('open', 'committing', 'committed', 'failed', 'cancelled', 'expired'))
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"id" uuid NOT NULL,
	CONSTRAINT "installation_only" CHECK ("installation"."only")
);
--> statement-breakpoint
CREATE TABLE "periodic_tasks" (
	"name" text PRIMARY KEY NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"succeeded" boolean
);
--> statement-breakpoint
CREATE TABLE "metadata_jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"status" text NOT NULL,
	"account_id" uuid NOT NULL,
	"base_id" uuid NOT NULL,
	"base_semver" text NOT NULL,
	"patch" text,
	"result_version_id" uuid,
	"unchanged" boolean DEFAULT false NOT NULL,
	"error" jsonb,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "metadata_jobs_status" CHECK ("metadata_jobs"."status" in ('running', 'completed', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"collection_id" uuid NOT NULL,
	"major" integer NOT NULL,
	"minor" integer NOT NULL,
	"patch" integer NOT NULL,
	"base_semver" text,
	"full_digest" text COLLATE "C" NOT NULL,
	"public_digest" text COLLATE "C" NOT NULL,
	"sidecar" text COLLATE "C" NOT NULL,
	"full_records" bigint NOT NULL,
	"full_files" bigint NOT NULL,
	"full_bytes" bigint NOT NULL,
	"public_records" bigint NOT NULL,
	"public_files" bigint NOT NULL,
	"public_bytes" bigint NOT NULL,
	"public_changed" boolean NOT NULL,
	"message" text,
	"app_id" text,
	"actor_id" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_account_slugs" ADD CONSTRAINT "former_account_slugs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_org_id_accounts_id_fk" FOREIGN KEY ("org_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collection_words" ADD CONSTRAINT "collection_words_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collections" ADD CONSTRAINT "collections_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_collection_slugs" ADD CONSTRAINT "former_collection_slugs_owner_id_accounts_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_collection_slugs" ADD CONSTRAINT "former_collection_slugs_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "collection_files" ADD CONSTRAINT "collection_files_hash_files_hash_fk" FOREIGN KEY ("hash") REFERENCES "public"."files"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "objects" ADD CONSTRAINT "objects_pack_id_packs_id_fk" FOREIGN KEY ("pack_id") REFERENCES "public"."packs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_spills" ADD CONSTRAINT "push_spills_push_id_pushes_id_fk" FOREIGN KEY ("push_id") REFERENCES "public"."pushes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pushes" ADD CONSTRAINT "pushes_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "metadata_jobs" ADD CONSTRAINT "metadata_jobs_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "versions" ADD CONSTRAINT "versions_collection_id_collections_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "api_keys_collection" ON "api_keys" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "former_account_slugs_account" ON "former_account_slugs" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "identities_account" ON "identities" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_account" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "collection_words_names" ON "collection_words" USING gin (("name" || "owner")) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "collection_words_all" ON "collection_words" USING gin (("name" || "owner" || coalesce("head_description", "description"))) WITH (fastupdate=false);--> statement-breakpoint
CREATE UNIQUE INDEX "collections_owner_slug" ON "collections" USING btree ("owner_id","slug");--> statement-breakpoint
CREATE INDEX "collections_owner_updated" ON "collections" USING btree ("owner_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "collections_public_updated" ON "collections" USING btree ("updated_at","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_created" ON "collections" USING btree ("created_at","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_name" ON "collections" USING btree ("folded_name","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_owner_updated" ON "collections" USING btree ("owner_id","updated_at","id") WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_name_trigrams" ON "collections" USING gin ("folded_name" gin_trgm_ops) WITH (fastupdate=false) WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_public_name_grams" ON "collections" USING gin ((string_to_array(regexp_replace("folded_name", '(..)', E'\\1\n', 'g') || E'\n' || regexp_replace(substr("folded_name", 2), '(..)', E'\\1\n', 'g'), E'\n') || string_to_array("folded_name", null))) WITH (fastupdate=false) WHERE "collections"."public";--> statement-breakpoint
CREATE INDEX "collections_ancestors" ON "collections" USING gin ("ancestors");--> statement-breakpoint
CREATE INDEX "former_collection_slugs_collection" ON "former_collection_slugs" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "collection_files_hash" ON "collection_files" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "files_unused" ON "files" USING btree ("created_at","hash") WHERE not "files"."used";--> statement-breakpoint
CREATE INDEX "objects_pack" ON "objects" USING btree ("pack_id");--> statement-breakpoint
CREATE INDEX "pushes_collection" ON "pushes" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "pushes_open" ON "pushes" USING btree ("expires_at") WHERE "pushes"."status" = 'open';--> statement-breakpoint
CREATE INDEX "pushes_open_account" ON "pushes" USING btree ("account_id") WHERE "pushes"."status" = 'open';--> statement-breakpoint
CREATE INDEX "pushes_ended" ON "pushes" USING btree ("expires_at") WHERE "pushes"."status" in ('committed', 'failed', 'cancelled', 'expired');--> statement-breakpoint
CREATE INDEX "pushes_committing" ON "pushes" USING btree ("lease_until") WHERE "pushes"."status" = 'committing';--> statement-breakpoint
CREATE UNIQUE INDEX "metadata_jobs_slot" ON "metadata_jobs" USING btree ("collection_id") WHERE "metadata_jobs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "metadata_jobs_collection" ON "metadata_jobs" USING btree ("collection_id");--> statement-breakpoint
CREATE INDEX "metadata_jobs_finished" ON "metadata_jobs" USING btree ("finished_at") WHERE "metadata_jobs"."finished_at" is not null;--> statement-breakpoint
CREATE INDEX "metadata_jobs_running" ON "metadata_jobs" USING btree ("started_at") WHERE "metadata_jobs"."status" = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "versions_semver" ON "versions" USING btree ("collection_id","major","minor","patch");--> statement-breakpoint
CREATE INDEX "versions_full_digest" ON "versions" USING btree ("collection_id","full_digest");--> statement-breakpoint
CREATE INDEX "versions_public_digest" ON "versions" USING btree ("collection_id","public_digest");