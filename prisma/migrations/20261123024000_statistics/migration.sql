-- Counters of what audit events tell, by hour and by day (UTC), and how far the maintenance job has counted them.
CREATE TABLE "statistics" (
    "step" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "measure" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "statistics_pkey" PRIMARY KEY ("step", "at", "measure", "type", "detail")
);

CREATE TABLE "statistics_progress" (
    "id" INTEGER NOT NULL,
    "high" BIGINT NOT NULL DEFAULT 0,
    "gaps" int8multirange NOT NULL DEFAULT '{}',
    "watched" int8multirange NOT NULL DEFAULT '{}',
    "watched_at" TIMESTAMPTZ(3) NOT NULL DEFAULT 'epoch',
    "watched_before" xid8,
    "complete_at" TIMESTAMPTZ(3) NOT NULL DEFAULT 'epoch',

    CONSTRAINT "statistics_progress_pkey" PRIMARY KEY ("id")
);

INSERT INTO "statistics_progress" ("id") VALUES (1);
