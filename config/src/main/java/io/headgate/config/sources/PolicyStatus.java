package io.headgate.config.sources;

import java.time.Instant;
import java.util.Optional;

/**
 * Which version of the policies a process runs, and whether a later one was rejected.
 *
 * @param source the name of the source
 * @param version the version in force
 * @param since when this process applied it
 * @param rejected the latest version if it was rejected; empty if the version in force is the latest one
 * @param preview what the process has found about the shadow version; empty if there is none
 * @param applied how many versions the process has applied since its start, the first one included
 * @param rejections how many versions it has rejected since its start; a version that is rejected again for another reason, or after
 *     another version, counts again. Failed reads of the source do not count
 */
public record PolicyStatus(
        String source,
        String version,
        Instant since,
        Optional<Rejection> rejected,
        Optional<PolicyPreview> preview,
        long applied,
        long rejections) {

    /** The status of the first version. */
    static PolicyStatus first(String source, String version) {
        return new PolicyStatus(source, version, Instant.now(), Optional.empty(), Optional.empty(), 1, 0);
    }

    /**
     * A version that was not applied. The version before it stays in force.
     *
     * @param version the version; empty if the source has none, or it cannot be read
     * @param at when it was rejected
     * @param reason its problems, one in each line
     */
    public record Rejection(Optional<String> version, Instant at, String reason) {

        /** Returns the rejection in one line, with the first problem and the number of further ones. */
        @Override
        public String toString() {
            long more = reason.lines().count() - 1;
            return version.map(known -> "version " + known).orElse("the source") + " rejected at " + at + ": "
                    + reason.lines().findFirst().orElse("")
                    + (more == 0 ? "" : " (and " + more + " more)");
        }
    }

    PolicyStatus withApplied(String next) {
        return new PolicyStatus(
                source, next, Instant.now(), Optional.empty(), Optional.empty(), applied + 1, rejections);
    }

    PolicyStatus withRejected(Rejection latest) {
        return new PolicyStatus(
                source,
                version,
                since,
                Optional.of(latest),
                preview,
                applied,
                rejections + (latest.version().isPresent() ? 1 : 0));
    }

    PolicyStatus withoutRejection() {
        return new PolicyStatus(source, version, since, Optional.empty(), preview, applied, rejections);
    }

    PolicyStatus withPreview(Optional<PolicyPreview> found) {
        return new PolicyStatus(source, version, since, rejected, found, applied, rejections);
    }
}
