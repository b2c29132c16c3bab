package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.redis.internal.script.RespSize;

/**
 * The bytes on the wire of calls and replies of an in-flight policy, as {@link HoldPlanner} and the scripts encode them, for holds of
 * one permit. What each rule adds to a call, its key and its holds, has methods of its own.
 */
public final class HoldSizes {

    /** A held permit, as a member of its key. */
    public static final int MEMBER = 17;

    /** The part of each rule in the reply to an acquire. */
    public static final int TAKE_REPLY_OF_A_RULE = 11;

    private static final int ID = 16;
    private static final int TAKE_REPLY = 8;
    private static final int LIMIT = 4;
    private static final int SENDER = 16;

    private final HoldKeys keys;
    private final InFlightPolicy policy;
    private final int rules;
    private final int lease;

    /** The sizes of a policy. */
    public HoldSizes(String keyPrefix, InFlightPolicy policy) {
        this.keys = new HoldKeys(keyPrefix, id -> id);
        this.policy = policy;
        this.rules = policy.rules().size();
        this.lease = RespSize.bulk(digits(Micros.of(policy.lease())))
                + RespSize.bulk(digits(policy.lease().toMillis() + HoldPlanner.REST_MILLIS));
    }

    /** A key of a rule whose ids have that many characters. */
    public int key(InFlightRule rule, int ids) {
        return channel() + ":".length() + rule.name().length() + ":".length() + ids;
    }

    private int channel() {
        return keys.channel(policy.name()).length();
    }

    /** An acquire, without its keys. */
    public int take() {
        return RespSize.evalsha(rules, 5) + RespSize.bulk(ID) + RespSize.bulk(1) + lease + RespSize.bulk(LIMIT * rules);
    }

    /** Its reply, without the part of each rule. */
    public int takeReply() {
        int all = TAKE_REPLY + rules * TAKE_REPLY_OF_A_RULE;
        return RespSize.bulk(all) - rules * TAKE_REPLY_OF_A_RULE;
    }

    /** A release of one hold, without its keys and the argument of each. */
    public int release() {
        return RespSize.evalsha(rules, 2 + rules) + RespSize.bulk(channel()) + RespSize.bulk(SENDER);
    }

    /** Its reply, without the character of each rule. */
    public int releaseReply() {
        return RespSize.bulk(rules) - rules;
    }

    /** A renewal in that many keys, without these and the argument of each. */
    public int renewal(int distinctKeys) {
        return RespSize.evalsha(distinctKeys, 3 + distinctKeys) + lease + RespSize.bulk(digits(HoldStore.NEVER));
    }

    /** Its reply, without the character of each renewed permit. */
    public int renewalReply(int permits) {
        return RespSize.bulk(permits) - permits;
    }

    private static int digits(long number) {
        return Long.toString(number).length();
    }
}
