-- How partitions by time are made and dropped. Neither waits for anybody for longer than 200 ms, since whoever comes after
-- one who waits for such a lock waits behind it; it is tried again later.

-- Makes the partition of a table for the time from "since" until before "until". It is made beside the table and then
-- attached, which locks out nobody but those who use the default partition. Fails with check_violation where that has
-- rows of the time already: there they stay.
CREATE FUNCTION "make_partition"("parent" regclass, "since" timestamptz, "until" timestamptz) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' SET timezone = 'UTC' AS $$
DECLARE
  "partition" text;
BEGIN
  SELECT format('%I.%I', n.nspname, c.relname || to_char("since", '_YYYYMMDD"_"HH24')) INTO "partition"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = "parent";
  EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', "partition", "parent");
  EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', "parent", "partition", "since", "until");
END $$;

-- Drops a partition with its rows. Whoever uses it by way of its table has a lock on that one, which is waited for;
-- the two that are then needed are had at once or not at all, so that nobody waits for the sum of three.
CREATE FUNCTION "drop_partition"("partition" regclass) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  "parent" regclass;
  "others" regclass;
BEGIN
  SELECT i.inhparent, p.partdefid INTO STRICT "parent", "others"
  FROM pg_inherits i JOIN pg_partitioned_table p ON p.partrelid = i.inhparent WHERE i.inhrelid = "partition";
  EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', "parent");
  EXECUTE format('LOCK TABLE ONLY %s, ONLY %s IN ACCESS EXCLUSIVE MODE NOWAIT', "others", "partition");
  EXECUTE format('DROP TABLE %s', "partition");
END $$;
