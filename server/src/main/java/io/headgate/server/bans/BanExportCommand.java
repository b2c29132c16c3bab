package io.headgate.server.bans;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.bans.Bans;
import io.headgate.server.text.Json;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/** {@code headgate ban export}. */
@Command(
        name = "export",
        description = "Prints all bans and exemptions, one JSON object a line, for headgate ban import.")
final class BanExportCommand extends BanSubcommand {

    @Override
    int run(LimitEngine limits) {
        Bans bans = limits.bans();
        PrintWriter out = line().getOut();
        bans.entries().forEach(entry -> out.print(new String(Json.line(BanJson.of(entry)), StandardCharsets.UTF_8)));
        out.flush();
        return ExitCode.OK;
    }
}
