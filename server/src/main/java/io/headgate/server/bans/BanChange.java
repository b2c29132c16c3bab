package io.headgate.server.bans;

import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.server.audit.AuditedChange;
import java.util.Map;
import java.util.Optional;

/** A change of a ban or an exemption, for the audit log. */
final class BanChange {

    private BanChange() {}

    /**
     * Describes a change.
     *
     * @param before the entry before the change, as this process knew it
     * @param after the entry after the change
     */
    static AuditedChange of(BanTarget target, Optional<BanEntry> before, Optional<BanEntry> after) {
        return AuditedChange.of(target.toString())
                .from(before.map(BanJson::of).orElse(Map.of()))
                .to(after.map(BanJson::of).orElse(Map.of()))
                .because(after.map(BanEntry::reason).orElse(""));
    }
}
