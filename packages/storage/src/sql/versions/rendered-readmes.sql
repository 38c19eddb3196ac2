-- A cache: losing it in a crash costs one rendering a readme, which is less than a write-ahead log and backups of all of them.
alter table rendered_readmes set unlogged;
