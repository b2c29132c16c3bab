package io.headgate.redis.limits.internal.bans;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Locale;
import java.util.Optional;

/** Bans as texts in Redis: in ASCII, with values percent-encoded, and parts separated by blanks. */
final class BanText {

    private static final String ALL_POLICIES = "*";

    private BanText() {}

    /** Encodes a target: {@code * user alice}, or {@code api user alice} for one policy. */
    static String of(BanTarget target) {
        return target.policy().orElse(ALL_POLICIES) + " " + target.attribute() + " " + encoded(target.value());
    }

    static BanTarget target(String policy, String attribute, String value) {
        return new BanTarget(
                policy.equals(ALL_POLICIES) ? Optional.empty() : Optional.of(policy), attribute, decoded(value));
    }

    static String of(BanEntry.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    static BanEntry.Kind kind(String text) {
        return BanEntry.Kind.valueOf(text.toUpperCase(Locale.ROOT));
    }

    /** Encodes the reason and the author, both of which may be empty. */
    static String of(String reason, String by) {
        return ":" + encoded(reason) + " :" + encoded(by);
    }

    /** Decodes a reason or an author. */
    static String line(String text) {
        return decoded(text.substring(1));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, UTF_8);
    }
}
