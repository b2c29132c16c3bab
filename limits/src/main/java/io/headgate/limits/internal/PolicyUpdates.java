package io.headgate.limits.internal;

import io.headgate.limits.Policy;
import io.headgate.limits.Rule;

/** Says which policies a live limiter may go on with. */
public final class PolicyUpdates {

    private PolicyUpdates() {}

    /**
     * The new policy, when what is counted under the old one means the same under it.
     *
     * @throws IllegalArgumentException when it has another name, or places its keys elsewhere, or counts a rule of the
     *     same name by other dimensions
     */
    public static Policy checked(Policy old, Policy updated) {
        if (!updated.name().equals(old.name())) {
            throw new IllegalArgumentException("a limiter of policy " + old.name() + " can't become one of policy "
                    + updated.name() + "; make another limiter");
        }
        if (updated.colocation() != old.colocation()) {
            throw new IllegalArgumentException("policy " + old.name() + " is colocated as " + old.colocation()
                    + ", was updated to " + updated.colocation()
                    + "; its keys would have other names, so give the policy another name");
        }
        for (Rule rule : updated.rules()) {
            for (Rule before : old.rules()) {
                if (rule.name().equals(before.name()) && !rule.dimensions().equals(before.dimensions())) {
                    throw new IllegalArgumentException("rule " + rule.name() + " of policy " + old.name()
                            + " counts by " + before.dimensions() + ", was updated to " + rule.dimensions()
                            + "; it would go on from counts of something else, so give the rule another name");
                }
            }
        }
        return updated;
    }
}
