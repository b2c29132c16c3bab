package io.headgate.redis.queues;

/** How many bytes the jobs of a planned queue have in Redis, as docs/keys-and-memory.md says. */
final class JobSizes {

    /** What is in front of the records of a run, and what it is in a list of its own. */
    static final int RUN = 15;

    static final int HEAD = 18;

    /** The id of a job, as which keys of jobs note it. */
    static final int NOTED_ID = 14;

    /** The same, and since when the job is done. */
    static final int NOTED_DONE = 21;

    /** The number of a job, and what its place says. */
    static final int NUMBER = 6;

    static final int PLACE = 15;

    private static final int FLAGS_AND_LENGTH = 4;
    private static final int HISTORY = 11;
    private static final int MAX_CAUSES = 4000;

    private final QueueLoad load;

    JobSizes(QueueLoad load) {
        this.load = load;
    }

    /** A job's record, after so many attempts failed. */
    int record(boolean keyed, int failures) {
        int key = keyed ? 1 + load.keyLength : 0;
        // All headers as one: two lengths, and the length of both.
        int headers = load.headers > 0 ? 6 + load.headers : 0;
        return FLAGS_AND_LENGTH + history(failures) + key + headers + load.payload;
    }

    /** The same, where some have keys. */
    double record(int failures) {
        return record(false, failures) + load.keyed * (record(true, failures) - record(false, failures));
    }

    private int history(int failures) {
        if (failures == 0) {
            return 0;
        }
        int cause = 2 + load.cause;
        return HISTORY + (load.cause > 0 ? 2 + Math.min(failures, MAX_CAUSES / cause) * cause : 0);
    }

    /** A job that lies by itself. */
    int alone(boolean keyed, int failures) {
        return RUN + record(keyed, failures);
    }

    /** A job that is done and kept, after so many attempts failed: it was handed out once more. */
    int done(boolean keyed, int failures) {
        return alone(keyed, failures) + (failures == 0 ? HISTORY : 0);
    }

    /** The mean record of what is handed out. */
    double handedOut() {
        double bytes = 0;
        for (int failures = 0; failures < load.attempts; failures++) {
            bytes += Math.pow(load.failing, failures) * record(failures);
        }
        return bytes / load.attemptsOfAJob();
    }
}
