package io.headgate.server.audit.read;

import io.headgate.redis.audit.AuditAction;
import io.headgate.redis.audit.AuditEntry;
import io.headgate.redis.audit.AuditLogException;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.server.audit.AuditJson;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.StopSignal;
import io.headgate.server.cli.Version;
import io.headgate.server.redis.RedisOptions;
import io.headgate.server.text.Json;
import io.headgate.server.text.Quoted;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code headgate audit}: prints the last records of the audit log in Redis, and follows it. */
@Command(
        name = "audit",
        description =
                "Prints the last records of the audit log: who changed what, when and from where; the newest last.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "Redis keeps the last 10 000 records of changes of policies and queues, 10 000 of single bans and jobs, and 10 000 of refunds, bans by rules, enqueued jobs and refused calls.",
            "Exit codes: 0 done, 1 failed, 2 wrong command line."
        })
public final class AuditCommand implements Callable<Integer> {

    private static final Duration POLL = Duration.ofMillis(500);

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            converter = NumberOption.OfRecords.class,
            description = "Print at most the last N matching records, from 1 to 1000; ${DEFAULT-VALUE} by default.")
    private int limit;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = SinceOption.class,
            description = "Only records since then: 15m, 2h or 3d ago, or an instant such as 2030-12-24T18:00:00Z.")
    private Optional<Instant> since = Optional.empty();

    @Option(names = "--operator", paramLabel = "NAME", description = "Only records of this operator.")
    private Optional<String> operator = Optional.empty();

    @Option(
            names = "--action",
            paramLabel = "ACTION",
            converter = ActionOption.class,
            description = "Only records of this action, such as ban.add.")
    private Optional<String> action = Optional.empty();

    @Option(
            names = "--target",
            paramLabel = "TEXT",
            description =
                    "Only records whose target begins with this text, such as ip=203.0.113. or the name of a queue.")
    private Optional<String> target = Optional.empty();

    @Option(names = "--follow", description = "Then print new records as they are written, until Ctrl-C.")
    private boolean follow;

    @Option(names = "--json", description = "Print each record as a line of JSON.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    /** Reads the name of an action. */
    static final class ActionOption implements ITypeConverter<String> {

        @Override
        public String convert(String given) {
            return AuditAction.named(given)
                    .map(AuditAction::toString)
                    .orElseThrow(() ->
                            new TypeConversionException(Quoted.of(given) + " is not one of " + AuditAction.NAMES));
        }
    }

    @Override
    public Integer call() {
        AuditSearch search = new AuditSearch(operator, action, target, since);
        try (RedisAuditLog log = redis.auditLog()) {
            AuditSearch.Found last = search.last(log::before, Optional.empty(), limit);
            last.entries().forEach(this::print);
            if (follow) {
                follow(log, search, last.next());
            }
            return CommandLine.ExitCode.OK;
        } catch (AuditLogException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    /** Reads new records twice a second until a signal. An outage of Redis is reported once. */
    private void follow(RedisAuditLog log, AuditSearch search, String from) {
        String next = from;
        boolean failing = false;
        try (StopSignal stop = StopSignal.listen()) {
            while (!isClosed() && !stop.await(POLL)) {
                try {
                    AuditSearch.Found more = search.after(log::after, next, RedisAuditLog.MAX_READ);
                    more.entries().forEach(this::print);
                    next = more.next();
                    failing = false;
                } catch (AuditLogException e) {
                    if (!failing) {
                        spec.commandLine().getErr().println("headgate: " + e.getMessage() + "; trying again");
                    }
                    failing = true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether no program reads the output any more, such as after {@code | head}. */
    private boolean isClosed() {
        return spec.commandLine().getOut().checkError();
    }

    private void print(AuditEntry entry) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.print(new String(Json.line(AuditJson.of(entry)), StandardCharsets.UTF_8));
        } else {
            out.println(AuditText.of(entry));
        }
        out.flush();
    }
}
