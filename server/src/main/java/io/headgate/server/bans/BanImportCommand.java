package io.headgate.server.bans;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import io.headgate.server.audit.CommandAudit;
import io.headgate.server.cli.StartException;
import io.headgate.server.http.JsonBody;
import io.headgate.server.http.ProblemException;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code headgate ban import}. */
@Command(
        name = "import",
        description = {
            "Adds the bans and exemptions of a file, as headgate ban export prints them. Checks all lines before it adds any.",
            "Entries that have ended are left out. Entries that exist are extended."
        })
final class BanImportCommand extends BanChangeCommand {

    private static final List<String> MEMBERS =
            List.of("attribute", "value", "policy", "kind", "since", "until", "permanent", "reason", "by");
    private static final String TARGET = "bans";
    private static final long MAX_BYTES = 256L << 20;

    @Parameters(paramLabel = "FILE", description = "A file with one JSON object a line.")
    private Path file = Path.of("");

    private final List<BanRequest> requests = new ArrayList<>();
    private int ended;

    @Override
    void check() {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IllegalArgumentException(
                        Quoted.of(file.toString()) + " must have at most " + MAX_BYTES + " bytes");
            }
            List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
            for (int i = 0; i < lines.size(); i++) {
                if (!lines.get(i).isBlank()) {
                    add(i + 1, lines.get(i));
                }
            }
        } catch (IOException e) {
            throw StartException.wrongInput(Quoted.of(file.toString()) + " can't be read: "
                    + Quoted.inOneLine(e.getClass().getSimpleName()) + ". Nothing was changed");
        }
    }

    private void add(int number, String line) {
        try {
            request(line).ifPresentOrElse(requests::add, () -> ended++);
        } catch (ProblemException e) {
            throw new IllegalArgumentException(
                    "line " + number + ": " + e.problem().detail() + ". Nothing was changed", e);
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw new IllegalArgumentException("line " + number + ": " + e.getMessage() + ". Nothing was changed", e);
        }
    }

    /** Reads a line; empty if the entry has ended. */
    private static Optional<BanRequest> request(String line) {
        JsonBody body = JsonBody.parse(
                line.getBytes(StandardCharsets.UTF_8),
                MEMBERS,
                "{\"attribute\": \"user\", \"value\": \"mallory\", \"kind\": \"ban\", \"permanent\": true}");
        if (body.has("until") == body.flag("permanent")) {
            throw new IllegalArgumentException("give either until, such as 2026-12-31T00:00:00Z, or permanent: true");
        }
        BanTarget target = BanRequestBody.target(body);
        BanEntry.Kind kind = BanRequestBody.kind(body);
        String reason = body.has("reason") ? body.string("reason") : "";
        String by = body.has("by") ? body.string("by") : "";
        if (!body.has("until")) {
            return Optional.of(new BanRequest(target, kind, Optional.empty(), reason, by));
        }
        Duration rest = Duration.between(Instant.now(), Instant.parse(body.string("until")));
        return rest.compareTo(Duration.ofSeconds(1)) < 0
                ? Optional.empty()
                : Optional.of(
                        new BanRequest(target, kind, Optional.of(Duration.ofMillis(rest.toMillis())), reason, by));
    }

    @Override
    int change(LimitEngine limits, CommandAudit audit) {
        Bans bans = limits.bans();
        int[] done = {0};
        AuditedChange about = AuditedChange.of(TARGET);
        audit.run(
                new CommandAudit.Plan(
                        AuditAction.BAN_IMPORT,
                        "ban import",
                        about,
                        () -> Optional.of(outcome("added " + done[0] + " or more", done[0]))),
                () -> {
                    for (BanRequest request : requests) {
                        bans.add(request);
                        done[0]++;
                    }
                    return done[0];
                },
                added -> outcome("added " + added, added));
        return output(
                Map.of("added", done[0], "ended", ended),
                List.of("added the entries of " + Words.count(done[0], "line")
                        + (ended == 0 ? "" : "; left out " + ended + " that have ended")));
    }

    private static CommandAudit.Outcome outcome(String text, int added) {
        return new CommandAudit.Outcome(
                added > 0, text, AuditedChange.of(TARGET).to(Map.of("added", added)));
    }
}
