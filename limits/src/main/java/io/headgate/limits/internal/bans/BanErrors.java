package io.headgate.limits.internal.bans;

import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;

/** The errors of changes to bans, which are the same in all engines. */
public final class BanErrors {

    private BanErrors() {}

    /** Returns the error of a request whose target has an entry of another kind. */
    public static IllegalArgumentException conflict(BanRequest request, BanEntry.Kind existing) {
        return new IllegalArgumentException(request.target() + " has " + words(existing)
                + " already; lift it before you add " + words(request.kind()));
    }

    private static String words(BanEntry.Kind kind) {
        return switch (kind) {
            case BAN -> "a ban";
            case EXEMPTION -> "an exemption";
            case COUNTED_EXEMPTION -> "a counted exemption";
        };
    }

    /** Returns the error of a target for which there is no room. */
    public static IllegalArgumentException full(BanTarget target) {
        return new IllegalArgumentException(
                isBlock(target)
                        ? target + " can't be added: " + Bans.MAX_BLOCKS
                                + " blocks are banned or exempt, the most at a time; lift some of them"
                        : target + " can't be added: there are " + Bans.MAX_ENTRIES
                                + " bans and exemptions, the most at a time; lift some of them");
    }

    /** Whether a target is a block of more than one address, of which there may be fewer. */
    public static boolean isBlock(BanTarget target) {
        return target.addresses().filter(block -> !block.isAddress()).isPresent();
    }
}
