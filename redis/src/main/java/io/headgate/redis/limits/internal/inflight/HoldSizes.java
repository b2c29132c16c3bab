package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.redis.internal.script.RespSize;

/**
 * The bytes on the wire of calls and replies of an in-flight policy, as {@link HoldPlanner} and the scripts encode them, for holds of
 * one permit. The bytes of keys and of the holds in them are not included: they have methods and constants of their own.
 */
public final class HoldSizes {

    /** The bytes of a held permit, which is a member of its key. */
    public static final int MEMBER = 17;

    /** The bytes of each rule in the reply to an acquire call. */
    public static final int ACQUIRE_REPLY_OF_A_RULE = 11;

    private static final int ID = 16;
    private static final int ACQUIRE_REPLY = 8;
    private static final int LIMIT = 4;
    private static final int SENDER = 16;

    private final HoldKeys keys;
    private final InFlightPolicy policy;
    private final int rules;

    /** The bytes of two arguments: the lease, and how long a key must live. */
    private final int lease;

    /** Creates the sizes of a policy. */
    public HoldSizes(String keyPrefix, InFlightPolicy policy) {
        this.keys = new HoldKeys(keyPrefix, id -> id);
        this.policy = policy;
        this.rules = policy.rules().size();
        this.lease = RespSize.bulk(digits(Micros.of(policy.lease())))
                + RespSize.bulk(digits(policy.lease().toMillis() + HoldPlanner.REST_MILLIS));
    }

    /** The bytes of a key of a rule whose ids have this number of characters. */
    public int key(InFlightRule rule, int ids) {
        return channel() + ":".length() + rule.name().length() + ":".length() + ids;
    }

    private int channel() {
        return keys.channel(policy.name()).length();
    }

    /** The bytes of an acquire call without its keys. */
    public int acquire() {
        return RespSize.evalsha(rules, 5) + RespSize.bulk(ID) + RespSize.bulk(1) + lease + RespSize.bulk(LIMIT * rules);
    }

    /** The bytes of the reply to an acquire call, without those of each rule. */
    public int acquireReply() {
        int all = ACQUIRE_REPLY + rules * ACQUIRE_REPLY_OF_A_RULE;
        return RespSize.bulk(all) - rules * ACQUIRE_REPLY_OF_A_RULE;
    }

    /** The bytes of a call that releases one hold, without its keys and the argument of each key. */
    public int release() {
        return RespSize.evalsha(rules, 2 + rules) + RespSize.bulk(channel()) + RespSize.bulk(SENDER);
    }

    /** The bytes of the reply to a release, without the byte of each rule. */
    public int releaseReply() {
        return RespSize.bulk(rules) - rules;
    }

    /** The bytes of a call that renews holds in this number of keys, without the keys and the argument of each key. */
    public int renewal(int distinctKeys) {
        return RespSize.evalsha(distinctKeys, 4 + distinctKeys)
                + lease
                + RespSize.bulk(digits(HoldStore.NEVER))
                + RespSize.bulk(1);
    }

    /** The bytes of the reply to a renewal, without the byte of each renewed permit. */
    public int renewalReply(int permits) {
        return RespSize.bulk(permits) - permits;
    }

    private static int digits(long number) {
        return Long.toString(number).length();
    }
}
