package io.headgate.config;

import io.headgate.config.internal.yaml.NearMiss;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Yaml;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/**
 * Time zones by their name in the IANA database, or by their offset from UTC. There is no default: the zone of the machine may differ
 * between machines, and a calendar window must name whose days it counts.
 */
final class Zones {

    private Zones() {}

    /** The zone of that name. For another name, records the problem with a suggestion, and returns UTC. */
    static ZoneId read(Yaml value, Problems problems) {
        if (!(value instanceof Yaml.Scalar scalar)) {
            problems.wrong(value, "a time zone such as Europe/Berlin, UTC or +01:00");
            return ZoneOffset.UTC;
        }
        try {
            return ZoneId.of(scalar.text());
        } catch (DateTimeException e) {
            problems.add(
                    value.where(),
                    "must be a time zone such as Europe/Berlin, UTC or +01:00, was " + value.shown()
                            + near(scalar.text())
                                    .map(zone -> "; did you mean " + zone + "?")
                                    .orElse(""));
            return ZoneOffset.UTC;
        }
    }

    /** A city without its region, an abbreviation that Java knows, or a misspelled name. */
    private static Optional<String> near(String given) {
        List<String> known = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        return known.stream()
                .filter(zone -> zone.endsWith("/" + given))
                .findFirst()
                .or(() -> Optional.ofNullable(ZoneId.SHORT_IDS.get(given)))
                .or(() -> NearMiss.of(given, known));
    }
}
