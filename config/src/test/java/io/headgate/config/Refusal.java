package io.headgate.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** The error for a text that is rejected, as users see it; the name of the source is {@code p.yaml}. */
final class Refusal {

    private Refusal() {}

    static String of(String yaml) {
        ConfigException thrown = catchThrowableOfType(ConfigException.class, () -> PolicyFile.parse(yaml, "p.yaml"));
        assertThat(thrown).as("the refusal of\n%s", yaml).isNotNull();
        return String.valueOf(thrown.getMessage());
    }

    /** The error for a file whose only rule has {@code fields}, without {@code p.yaml:} and the path of the rule. */
    static String ofRule(String fields) {
        String yaml = "policies: { a: { rules: { r:\n{ " + fields + " } } } }";
        return of(yaml).replace("p.yaml:", "").replace("policies.a.rules.r", "r");
    }
}
