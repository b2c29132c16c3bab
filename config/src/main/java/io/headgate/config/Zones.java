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
 * Reads time zones: by their name in the IANA database, or by their offset from UTC. There is no default, because the default zone may
 * differ between machines, and a calendar window depends on its zone.
 */
final class Zones {

    private Zones() {}

    /** Returns a zone by its name or offset. For an unknown one, records a problem, if possible with a suggestion, and returns UTC. */
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
                            + near(scalar)
                                    .map(zone -> "; did you mean " + zone + "?")
                                    .orElse(""));
            return ZoneOffset.UTC;
        }
    }

    /** Suggests a zone for a city without its region, for an abbreviation that Java knows, or for a misspelled name. */
    private static Optional<String> near(Yaml.Scalar scalar) {
        if (scalar.written().isPresent()) {
            return Optional.empty(); // a suggestion would show the value of a variable
        }
        String given = scalar.text();
        List<String> known = ZoneId.getAvailableZoneIds().stream().sorted().toList();
        return known.stream()
                .filter(zone -> zone.endsWith("/" + given))
                .findFirst()
                .or(() -> Optional.ofNullable(ZoneId.SHORT_IDS.get(given)))
                .or(() -> NearMiss.of(given, known));
    }
}
