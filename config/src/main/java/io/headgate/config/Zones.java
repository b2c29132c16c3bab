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
 * Time zones by their name in the IANA database, or by their distance from UTC. There is no default: the zone of the
 * machine may be another on each, and whose days are counted is what a calendar window is about.
 */
final class Zones {

    private Zones() {}

    /** The zone of that name; anything else is noted, with the name that was probably meant, and UTC stands in for it. */
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

    /** A city without its region, an abbreviation that Java knows, or a name that is spelled almost so. */
    private static Optional<String> near(String given) {
        List<String> known = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        return known.stream()
                .filter(zone -> zone.endsWith("/" + given))
                .findFirst()
                .or(() -> Optional.ofNullable(ZoneId.SHORT_IDS.get(given)))
                .or(() -> NearMiss.of(given, known));
    }
}
