package io.headgate.redis.capacity;

/**
 * The sizes of the jobs of a planned queue in Redis, in bytes, as described in docs/decisions/0023-stored-layouts.md. A run is a sequence
 * of up to 32 jobs that are stored together: a head, and the record of each job.
 */
final class JobSizes {

    /** The head of a run whose records are stored after it. */
    static final int RUN = 15;

    /** The head of a run of ready jobs, which is stored in another list than the records. */
    static final int HEAD = 18;

    /** The value of a job key: the id of the job. */
    static final int KEY_ENTRY = 14;

    /** The value of the job key of a done job: the id, and when the job was done. */
    static final int DONE_KEY_ENTRY = 21;

    /** The number of a job, under which its location is stored. */
    static final int NUMBER = 6;

    /** The location of a job. */
    static final int LOCATION = 15;

    private static final int FLAGS_AND_LENGTH = 4;
    private static final int HISTORY = 11;
    private static final int MAX_CAUSES = 4000;

    private final QueueLoad load;

    JobSizes(QueueLoad load) {
        this.load = load;
    }

    /** The size of a record after that number of failed attempts. */
    int record(boolean keyed, int failures) {
        int key = keyed ? 1 + load.keyLength : 0;
        // Counted as one header: the lengths of its name and value, and the length of all headers.
        int headers = load.headers > 0 ? 6 + load.headers : 0;
        return FLAGS_AND_LENGTH + history(failures) + key + headers + load.payload;
    }

    /** The mean size of a record when a share of the jobs has keys. */
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

    /** The size of a run of one job. */
    int singleRun(boolean keyed, int failures) {
        return RUN + record(keyed, failures);
    }

    /** The size of a done job that is kept, after that number of failed attempts and one more delivery. */
    int done(boolean keyed, int failures) {
        return singleRun(keyed, failures) + (failures == 0 ? HISTORY : 0);
    }

    /** The mean size of the record of a claimed job. */
    double claimedRecord() {
        double bytes = 0;
        for (int failures = 0; failures < load.attempts; failures++) {
            bytes += Math.pow(load.failing, failures) * record(failures);
        }
        return bytes / load.attemptsOfAJob();
    }
}
