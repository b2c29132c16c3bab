package io.headgate.server.bans;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.Bans;
import io.headgate.server.cli.NumberOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code headgate ban list}. */
@Command(name = "list", description = "Lists bans and exemptions, sorted by target.")
final class BanListCommand extends BanSubcommand {

    @Option(names = "--attribute", paramLabel = "NAME", description = "Only targets of this attribute, such as ip.")
    private Optional<String> attribute = Optional.empty();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            converter = NumberOption.OfBans.class,
            description = "The most entries to list, from 1 to 100000; ${DEFAULT-VALUE} by default.")
    private Integer limit = 100;

    @Override
    int run(LimitEngine limits) {
        Bans bans = limits.bans();
        List<BanEntry> all = bans.entries().stream()
                .filter(entry -> attribute.isEmpty()
                        || attribute.get().equals(entry.target().attribute()))
                .toList();
        List<BanEntry> shown = all.subList(0, Math.min(limit, all.size()));
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("entries", shown.stream().map(BanJson::of).toList());
        members.put("total", all.size());
        List<String> lines =
                new ArrayList<>(shown.isEmpty() ? List.of("nothing is banned or exempt") : BanText.table(shown));
        if (all.size() > shown.size()) {
            lines.add("and " + (all.size() - shown.size()) + " more; to list them, give --limit");
        }
        return output(members, lines);
    }
}
