package io.headgate.http.attributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.http.attributes.ResolvedValue.Present;
import io.headgate.http.attributes.ResolvedValue.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ValueResolverTest {

    private static final FakeRequest PLAIN = FakeRequest.get("/");

    @Test
    void a_header_field_is_found_in_any_case() {
        ResolvedValue value = ValueResolver.header("X-User").resolve(PLAIN.withField("x-USER", "alice"));

        assertThat(value).isEqualTo(new Present("alice"));
        assertThat(value.toOptional()).contains("alice");
    }

    @Test
    void a_header_field_that_is_missing_or_empty_is_absent() {
        Absent absent = new Absent(Reason.MISSING, "header field X-User is missing");

        assertThat(ValueResolver.header("X-User").resolve(PLAIN)).isEqualTo(absent);
        assertThat(ValueResolver.header("X-User").resolve(PLAIN.withField("X-User", "")))
                .isEqualTo(absent);
        assertThat(absent.toOptional()).isEmpty();
    }

    @Test
    void a_header_field_given_twice_is_absent_also_with_the_same_value() {
        assertThat(ValueResolver.header("X-User")
                        .resolve(PLAIN.withField("X-User", "a").withField("x-user", "a")))
                .isEqualTo(new Absent(Reason.REPEATED, "header field X-User is given 2 times; give it once"));
    }

    @ParameterizedTest
    @CsvSource({"J\u00c3\u00b6rg, J\u00f6rg", "J\u00f6rg, J\u00f6rg", "\u0141ukasz, \u0141ukasz", "plain, plain"})
    void header_fields_are_decoded_as_utf_8_only_if_they_are_valid_utf_8(String field, String value) {
        assertThat(ValueResolver.header("X-User").resolve(PLAIN.withField("X-User", field)))
                .isEqualTo(new Present(value));
    }

    @Test
    void a_value_of_32_768_characters_is_present_and_a_longer_one_absent() {
        String longest = "x".repeat(ResolvedValue.MAX_LENGTH);

        assertThat(ValueResolver.header("X").resolve(PLAIN.withField("X", longest)))
                .isEqualTo(new Present(longest));
        assertThat(ValueResolver.header("X").resolve(PLAIN.withField("X", longest + "x")))
                .isEqualTo(new Absent(Reason.TOO_LONG, "header field X has more than 32768 characters"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            user=alice                | alice
            a=1&user=alice&b=2        | alice
            user=a%20b                | a b
            user=a+b                  | a b
            user=a;b=c                | a;b=c
            user=a=b                  | a=b
            us%65r=alice              | alice
            user=J%C3%B6rg            | Jörg
            user=%F0%9F%98%80+x       | 😀 x
            User=bob&user=alice       | alice
            xuser=bob&user=alice      | alice
            user=alice&users=bob      | alice
            user=alice&x=%FF          | alice
            """)
    void a_query_parameter_is_decoded(String query, String value) {
        assertThat(ValueResolver.query("user").resolve(FakeRequest.get("/?" + query)))
                .isEqualTo(new Present(value));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            /                         | MISSING   | query parameter user is missing
            /?                        | MISSING   | query parameter user is missing
            /?user                    | MISSING   | query parameter user is missing
            /?user=                   | MISSING   | query parameter user is missing
            /?us=er                   | MISSING   | query parameter user is missing
            /?user=a&user=a           | REPEATED  | query parameter user is given 2 times; give it once
            /?user=a&us%65r=b&user    | REPEATED  | query parameter user is given 3 times; give it once
            /?user=%FF                | MALFORMED | query parameter user is not UTF-8
            /?user=%4                 | MALFORMED | query parameter user is not UTF-8
            /?user=%                  | MALFORMED | query parameter user is not UTF-8
            /?user=%zz                | MALFORMED | query parameter user is not UTF-8
            /?user=%ED%A0%80          | MALFORMED | query parameter user is not UTF-8
            """)
    void a_query_parameter_is_absent_with_a_reason(String target, Reason reason, String detail) {
        assertThat(ValueResolver.query("user").resolve(FakeRequest.get(target))).isEqualTo(new Absent(reason, detail));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            session=abc               | abc
            a=1; session=abc; b=2     | abc
            a=1;session=abc           | abc
            session="abc"             | abc
            session=a=b               | a=b
            sessions=1; session=abc   | abc
            """)
    void a_cookie_is_found(String field, String value) {
        assertThat(ValueResolver.cookie("session").resolve(PLAIN.withField("Cookie", field)))
                .isEqualTo(new Present(value));
    }

    @Test
    void a_cookie_is_found_in_any_of_several_fields_and_absent_if_given_twice() {
        FakeRequest request = PLAIN.withField("Cookie", "a=1").withField("Cookie", "session=x");

        assertThat(ValueResolver.cookie("session").resolve(request)).isEqualTo(new Present("x"));
        assertThat(ValueResolver.cookie("session").resolve(request.withField("cookie", "session=y")))
                .isEqualTo(new Absent(Reason.REPEATED, "cookie session is given 2 times; give it once"));
        assertThat(ValueResolver.cookie("other").resolve(request))
                .isEqualTo(new Absent(Reason.MISSING, "cookie other is missing"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "/, /",
        "/orders/17, /orders/17",
        "/orders/, /orders/",
        "//orders///17, /orders/17",
        "/a/./b, /a/b",
        "/a/../b, /b",
        "/../../b, /b",
        "/a/b/.., /a/",
        "/.., /",
        "/%61%7euser, /a~user",
        "/a%2fb, /a%2Fb",
        "/%2e%2e/b, /b",
        "/%, /%25",
        "/%zz, /%25zz",
        "/%%34%31, /%2541",
        "/.well-known/x, /.well-known/x",
        "*, *",
    })
    void a_path_is_in_normal_form(String path, String normal) {
        assertThat(ValueResolver.path().resolve(FakeRequest.get(path))).isEqualTo(new Present(normal));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "/orders/17, /orders/{id}",
        "/orders/17/, /orders/{id}",
        "/x/../orders/17, /orders/{id}",
        "/orders/17/items/3, /orders/*/items/{item}",
        "/static, /static/**",
        "/static/a/b, /static/**",
    })
    void the_first_pattern_that_matches_a_path_is_found(String path, String pattern) {
        assertThat(ValueResolver.pathPattern("/orders/{id}", "/orders/*/items/{item}", "/static/**")
                        .resolve(FakeRequest.get(path)))
                .isEqualTo(new Present(pattern));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/orders", "/orders/", "/orders/17/items", "/statics", "/Orders/17", "*"})
    void a_path_that_no_pattern_matches_is_absent(String path) {
        assertThat(ValueResolver.pathPattern("/orders/{id}", "/static/**").resolve(FakeRequest.get(path)))
                .isEqualTo(new Absent(Reason.MISSING, "path of /orders/{id}, /static/** is missing"));
    }

    @Test
    void a_path_variable_is_decoded() {
        ValueResolver id = ValueResolver.pathVariable("/orders/{id}/**", "id");

        assertThat(id.resolve(FakeRequest.get("/orders/a%2Fb+c"))).isEqualTo(new Present("a/b+c"));
        assertThat(id.resolve(FakeRequest.get("/orders/17/items"))).isEqualTo(new Present("17"));
        assertThat(id.resolve(FakeRequest.get("/orders/%FF")))
                .isEqualTo(new Absent(Reason.MALFORMED, "variable id of path /orders/{id}/** is not UTF-8"));
        assertThat(id.resolve(FakeRequest.get("/items/17")))
                .isEqualTo(new Absent(Reason.MISSING, "variable id of path /orders/{id}/** is missing"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "orders", "/a//b", "/**/a", "/a*", "/{}", "/{1}", "/{a", "/a?b", "/{a}/{a}", "/%61"})
    void a_malformed_pattern_is_an_error(String pattern) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ValueResolver.pathPattern(pattern))
                .withMessageStartingWith("path pattern ")
                .withMessageContaining(pattern);
    }

    @Test
    void a_variable_that_the_pattern_does_not_have_is_an_error() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ValueResolver.pathVariable("/orders/{id}", "order"))
                .withMessage("path pattern /orders/{id} must have the variable {order}");
    }

    @Test
    void methods_server_attributes_and_fixed_values_are_found() {
        assertThat(ValueResolver.method().resolve(PLAIN)).isEqualTo(new Present("GET"));
        assertThat(ValueResolver.attribute("principal").resolve(PLAIN.withAttribute("principal", "alice")))
                .isEqualTo(new Present("alice"));
        assertThat(ValueResolver.attribute("principal").resolve(PLAIN))
                .isEqualTo(new Absent(Reason.MISSING, "request attribute principal is missing"));
        assertThat(ValueResolver.fixed("all").resolve(PLAIN)).isEqualTo(new Present("all"));
        assertThat(ValueResolver.absent().resolve(PLAIN))
                .isEqualTo(new Absent(Reason.MISSING, "no value is configured"));
    }

    @Test
    void a_fixed_value_must_not_be_empty() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ValueResolver.fixed(""))
                .withMessage("value must have 1 to 32768 characters, but has 0");
    }

    @Test
    void the_first_present_value_or_the_last_reason_is_returned() {
        ValueResolver user = ValueResolver.header("X-User").or(ValueResolver.query("user"));

        assertThat(user.resolve(FakeRequest.get("/?user=bob").withField("X-User", "alice")))
                .isEqualTo(new Present("alice"));
        assertThat(user.resolve(FakeRequest.get("/?user=bob"))).isEqualTo(new Present("bob"));
        assertThat(user.resolve(PLAIN)).isEqualTo(new Absent(Reason.MISSING, "query parameter user is missing"));
    }
}
