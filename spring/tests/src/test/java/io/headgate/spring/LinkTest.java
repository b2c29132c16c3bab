package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.spring.internal.EngineInUse;
import io.headgate.spring.test.AutoConfigureHeadgate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URL;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that each method, constructor and field that the common module uses exists in this line's versions. The module is compiled with
 * Spring Boot 3, and a reference that is never executed in a test would fail only in an application on Spring Boot 4.
 */
class LinkTest {

    @Test
    void all_references_of_the_common_module_exist_in_this_line() {
        assertThat(missing(EngineInUse.class)).isEmpty();
    }

    @Test
    void all_references_of_the_module_for_tests_of_applications_exist_in_this_line() {
        assertThat(missing(AutoConfigureHeadgate.class)).isEmpty();
    }

    @Test
    void all_references_of_the_module_of_this_line_exist() {
        assertThat(missing(Line.MODULE)).isEmpty();
    }

    @Test
    void the_module_of_the_other_line_has_references_that_do_not_exist_here() {
        assertThat(missing(Line.MODULE_OF_OTHER_LINE)).isNotEmpty();
    }

    private static List<String> missing(Class<?> ofModule) {
        URL module = ofModule.getProtectionDomain().getCodeSource().getLocation();
        return new ClassFileImporter()
                .importUrl(module).stream()
                        .flatMap(LinkTest::missing)
                        .sorted()
                        .toList();
    }

    /** Whether a class is of Headgate's artifacts for etcd or Consul, which are the same in both lines, and have tests of their own. */
    private static boolean isOfOptionalStore(JavaClass type) {
        return type.getPackageName().startsWith("io.headgate.config.etcd")
                || type.getPackageName().startsWith("io.headgate.config.consul");
    }

    private static Stream<String> missing(JavaClass one) {
        Stream<String> members = one.getAccessesFromSelf().stream()
                .filter(access -> !access.getTargetOwner().isArray())
                .filter(access -> !isOfOptionalStore(access.getTargetOwner()))
                .filter(access -> access.getTarget().resolveMember().isEmpty())
                .map(JavaAccess::getDescription);
        Stream<String> types = one.getDirectDependenciesFromSelf().stream()
                .map(dependency -> dependency.getTargetClass())
                .filter(type -> !isOfOptionalStore(type))
                .filter(type -> !type.isArray() && !type.isPrimitive() && type.getSource().isEmpty())
                .map(type -> one.getName() + " depends on " + type.getName());
        return Stream.concat(members, types).distinct();
    }
}
