package io.headgate.server.bans;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.audit.LocalOperator;
import io.headgate.server.cli.DryRun;
import io.headgate.server.cli.DurationOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate ban add}. */
@Command(
        name = "add",
        description = {
            "Bans requests with these values, or exempts them from limits, in all processes.",
            "A second ban of the same target extends the first; it never shortens it."
        })
final class BanAddCommand extends BanChangeCommand {

    private static final String REMEDY = "give --force";

    @Mixin
    private TargetOptions targets = new TargetOptions();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationOption.OfBan.class,
            description = "How long, from 1s to 3660d, such as 15m, 2h or 3d.")
    private Optional<Duration> duration = Optional.empty();

    @Option(names = "--permanent", description = "Until it is lifted. Either this or --for is required.")
    private boolean permanent;

    @Option(names = "--exempt", description = "Do not ban, but exempt: allow these requests and do not count them.")
    private boolean exempt;

    @Option(names = "--exempt-counted", description = "Do not ban, but exempt: allow these requests, and count them.")
    private boolean exemptCounted;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, up to 256 characters; decisions report it.")
    private String reason = "";

    @Option(
            names = "--by",
            paramLabel = "NAME",
            description = "Who adds it, up to 128 characters; by default, user@host.")
    private Optional<String> by = Optional.empty();

    @Option(
            names = "--force",
            description =
                    "Also ban a block wider than /8 (IPv6: /32), or an address of this machine or of your SSH client.")
    private boolean force;

    @Mixin
    private DryRun dryRun = new DryRun();

    private final List<BanRequest> requests = new ArrayList<>();

    @Override
    void check() {
        if (permanent == duration.isPresent()) {
            throw new IllegalArgumentException("give either --for TIME or --permanent");
        }
        if (exempt && exemptCounted) {
            throw new IllegalArgumentException("give either --exempt or --exempt-counted");
        }
        BanEntry.Kind kind =
                exempt ? BanEntry.Kind.EXEMPTION : exemptCounted ? BanEntry.Kind.COUNTED_EXEMPTION : BanEntry.Kind.BAN;
        String author = by.orElseGet(LocalOperator::name);
        for (BanTarget target : targets.targets()) {
            requests.add(new BanRequest(target, kind, duration, reason, author));
        }
        if (!force) {
            BanGuard guard = LocalAddresses.guard();
            requests.forEach(request -> guard.check(request, REMEDY));
        }
    }

    @Override
    boolean changes() {
        return !dryRun.isOn();
    }

    @Override
    int change(LimitEngine limits, CommandAudit audit) {
        Bans bans = limits.bans();
        List<BanEntry> added = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (BanRequest request : requests) {
            if (dryRun.isOn()) {
                lines.add("would add " + request.target());
            } else {
                added.add(add(bans, request, audit));
                lines.add("added " + BanText.of(added.get(added.size() - 1)));
            }
        }
        return output(Map.of("added", added.stream().map(BanJson::of).toList()), lines);
    }

    private static BanEntry add(Bans bans, BanRequest request, CommandAudit audit) {
        Optional<BanEntry> before = bans.find(request.target());
        return recorded(
                audit,
                AuditAction.BAN_ADD,
                BanChange.of(request.target(), before, Optional.empty()).because(request.reason()),
                () -> bans.add(request),
                entry -> new CommandAudit.Outcome(
                        true, BanText.of(entry), BanChange.of(request.target(), before, Optional.of(entry))));
    }
}
