package io.headgate.redis.limits.internal.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.redis.internal.script.Script;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ScriptSyntaxIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final RedisProbe PROBE = RedisProbe.of(REDIS.url());

    @AfterAll
    static void close() {
        PROBE.close();
    }

    @Test
    void redis_compiles_every_script_and_returns_its_sha1() {
        for (Script script : AllScripts.joined(false)) {
            assertThat(PROBE.command("SCRIPT", "LOAD", script.source()))
                    .as(script.name())
                    .isEqualTo(script.sha1());
        }
    }

    @Test
    void a_script_with_a_syntax_error_is_refused_when_it_is_loaded() {
        String broken = new Scripts(false).reset().source() + " end";
        assertThatThrownBy(() -> PROBE.command("SCRIPT", "LOAD", broken))
                .isInstanceOf(RedisProbe.ErrorReply.class)
                .hasMessageContaining("compiling");
    }
}
