package io.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.CliRun;
import io.headgate.server.GuideExample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyCommandTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    private String write(String file, long permits) throws IOException {
        return write(
                file,
                "policies: { api: { rules: { per-user: { by: user, sliding-window: { permits: " + permits
                        + ", window: 1m } } } } }");
    }

    private String write(String file, String text) throws IOException {
        return Files.writeString(folder.resolve(file), text).toString();
    }

    @Test
    void check_prints_the_version_and_what_each_rule_admits() throws Exception {
        CliRun run = CliRun.of("policy", "check", write("policies.yaml", 100));
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().toList()).hasSize(2).satisfies(lines -> {
            assertThat(lines.get(0)).matches("valid; version [0-9a-f]{12}");
            assertThat(lines.get(1)).isEqualTo("api.per-user: 100 permits in any minute, by user");
        });
    }

    @Test
    void check_prints_json() throws Exception {
        CliRun run = CliRun.of("policy", "check", "--json", write("policies.yaml", 100));
        assertThat(run.out())
                .matches(
                        "\\{\"version\":\"[0-9a-f]{12}\","
                                + "\"rules\":\\{\"api.per-user\":\"100 permits in any minute, by user\"},\"warnings\":\\[]}\\R?");
    }

    @Test
    void check_prints_what_the_guide_shows() throws Exception {
        GuideExample example =
                GuideExample.in(Path.of("../docs/configuration.md")).get(0);
        assertThat(example.command()).isEqualTo("./headgate policy check examples/api.yaml");
        assertThat(CliRun.of("policy", "check", "../examples/api.yaml").out().strip())
                .isEqualTo(example.output());
    }

    @Test
    void check_of_an_invalid_file_lists_its_problems_and_exits_with_2() throws Exception {
        String file = write("policies.yaml", "policies: { api: { rules: { per-user: { sliding-windo: 1 } } } }");
        CliRun run = CliRun.of("policy", "check", file);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains(
                        file
                                + ":1:41: policies.api.rules.per-user.sliding-windo: unknown key; did you mean sliding-window?");
        CliRun missing = CliRun.of("policy", "check", "missing.yaml");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.err()).contains("missing.yaml: no such file");
    }

    @Test
    void check_rejects_what_serve_rejects() throws Exception {
        String file = write(
                "policies.yaml",
                "policies: { api: { rules: { limit: { by: hold, sliding-window: { permits: 1, window: 1m } } } } }");
        CliRun check = CliRun.of("policy", "check", file);
        CliRun serve = CliRun.of("serve", "--port", "0", "--policies", file);
        assertThat(check.exitCode()).isEqualTo(2);
        assertThat(check.err()).isEqualTo(serve.err());
    }

    @Test
    void diff_prints_each_change() throws Exception {
        CliRun run = CliRun.of("policy", "diff", write("old.yaml", 100), write("new.yaml", 200));
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines())
                .containsExactly("api.per-user: raised from sliding-window 100 per 1m to sliding-window 200 per 1m");
        assertThat(CliRun.of("policy", "diff", write("old.yaml", 100), write("new.yaml", 100))
                        .out()
                        .lines())
                .containsExactly("no changes");
        assertThat(CliRun.of("policy", "diff", "--json", write("old.yaml", 100), write("new.yaml", 99))
                        .out())
                .matches("\\{\"changes\":\\[\\{\"path\":\"api.per-user\",\"kind\":\"lowered\",\"description\":"
                        + "\"from sliding-window 100 per 1m to sliding-window 99 per 1m\"}]}\\R?");
    }

    @Test
    void diff_rejects_a_version_that_a_server_rejects() throws Exception {
        String before = write("old.yaml", 100);
        String after = write("new.yaml", Files.readString(Path.of(before)).replace("by: user", "by: ip"));
        CliRun run = CliRun.of("policy", "diff", before, after);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("a server with the old policies rejects the new ones: "
                        + "the dimensions of rule per-user of policy api can't change");
    }

    @Test
    void a_command_without_files_names_them() {
        assertThat(CliRun.of("policy").err())
                .contains("give a command: check, diff, apply, history, show, rollback or status");
        assertThat(CliRun.of("policy", "diff", "one.yaml").exitCode()).isEqualTo(2);
    }
}
