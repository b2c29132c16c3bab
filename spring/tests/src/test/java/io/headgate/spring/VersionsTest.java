package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.netty.util.Version;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

/** Tests that these tests run with the versions that the line of Spring Boot manages, not with those of the rest of the build. */
class VersionsTest {

    @Test
    void the_versions_are_those_of_the_line() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(Line.SPRING_BOOT);
        assertThat(RedisClient.class.getPackage().getImplementationVersion()).startsWith(Line.LETTUCE);
        assertThat(Version.identify())
                .hasEntrySatisfying(
                        "netty-common",
                        netty -> assertThat(netty.artifactVersion()).startsWith(Line.NETTY));
    }
}
