-- Search: what can be found of each usable interview, folded once when it is
-- written, kept by the database in the writer's own transaction, whoever writes.
-- Locks interviews against writes while those already there are taken in.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'the database''s encoding is %, and search needs UTF8: create the database with ENCODING ''UTF8'' TEMPLATE template0',
            current_setting('server_encoding');
    END IF;
END;
$$;
-- +goose StatementEnd

-- fold_text takes away the difference of case: each capital becomes its one
-- small letter, whatever the place and the language (Unicode 15). Accents and ß
-- stay. The letters are listed, as lower() depends on the server's C library,
-- its ICU and the database's locale. The noncharacter U+FFFF, which keeps folded
-- fields apart, becomes U+FFFD.
-- +goose StatementBegin
CREATE FUNCTION fold_text(original text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    folded text := lower(original COLLATE "C");
BEGIN
    IF octet_length(folded) = char_length(folded) THEN
        RETURN folded;
    END IF;
    DECLARE
        capitals CONSTANT text :=
            'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯͰͲͶͿΆΈΉΊΌΎΏΑ'
            'ΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚ'
            'ŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆ'
            'ȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔ'
            'ӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖḀḂḄḆḈḊḌ'
            'ḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈ'
            'ỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞ'
            'ᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰ'
            'ᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤ'
            'ᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿΩKÅℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑ'
            'ⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘ'
            'ⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄ'
            'ꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐꟖꟘꟵＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖'
            '𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁'
            '𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈'
            '𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡';
        small CONSTANT text :=
            'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяͱͳͷϳάέήίόύώα'
            'βγδεζηθικλμνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįiĳĵķĺļľŀłńņňŋōŏőœŕŗřś'
            'ŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇ'
            'ȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕ'
            'ӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆḁḃḅḇḉḋḍ'
            'ḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉ'
            'ịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖ'
            'ᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳὲέὴήῃῐῑὶίῠῡὺύῥὸόὼώῳⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀ'
            'ꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽაბგდევზთიკლმნოპჟრსტუფ'
            'ქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿωkåⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁ'
            'ⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙ'
            'ⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅ'
            'ꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑꟗꟙꟶａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾'
            '𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁'
            '𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨'
            '𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃';
        -- Few, and translate() walks its list for each letter of the text.
        met text := regexp_replace(folded, '[^' || capitals || ']+', '', 'g');
    BEGIN
        IF met <> '' THEN
            folded := translate(folded, met, translate(met, capitals, small));
        END IF;
        RETURN replace(folded, U&'\FFFF', U&'\FFFD');
    END;
END;
$$;
-- +goose StatementEnd

-- extracted_text is a field of the extraction as text: a string as it is, a list
-- as its strings, anything else null.
-- +goose StatementBegin
CREATE FUNCTION extracted_text(value jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    CASE jsonb_typeof(value)
        WHEN 'string' THEN
            RETURN value #>> '{}';
        WHEN 'array' THEN
            RETURN (
                SELECT string_agg(e.element #>> '{}', '; ' ORDER BY e.place)
                FROM jsonb_array_elements(value) WITH ORDINALITY AS e (element, place)
                WHERE jsonb_typeof(e.element) = 'string'
            );
        ELSE
            RETURN NULL;
    END CASE;
END;
$$;
-- +goose StatementEnd

-- searched_text is what search looks into: the five fields, folded, with U+FFFF
-- between them, which no folded text holds. So nothing matches across fields.
-- +goose StatementBegin
CREATE FUNCTION searched_text(extraction jsonb, best_quote text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN array_to_string(
        ARRAY[
            public.fold_text(coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote)),
            public.fold_text(public.extracted_text(extraction -> 'primary_pain_points')),
            public.fold_text(public.extracted_text(extraction -> 'feature_requests')),
            public.fold_text(public.extracted_text(extraction -> 'product_feedback')),
            public.fold_text(public.extracted_text(extraction -> 'competitor_mentions'))
        ],
        U&'\FFFF',
        ''
    );
END;
$$;
-- +goose StatementEnd

CREATE TABLE search_documents (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    campaign_id uuid,
    created_at timestamptz NOT NULL,
    folded text NOT NULL,
    -- Whether the trigram index has it. It costs ten times what the rest costs,
    -- so a writer never waits for it; index_search_documents sees to it later.
    indexed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (client_id, id)
) WITH (toast_tuple_target = 8160); -- A document out of line costs each scan a look-up.

-- Nested loops only: whatever is known of a table that is being filled, a
-- statement's rows are found in it one by one, and never all of it is read.
-- +goose StatementBegin
CREATE FUNCTION keep_search_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        TRUNCATE public.search_documents;
        RETURN NULL;
    END IF;
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        DELETE FROM public.search_documents AS d
        USING old_rows AS o
        WHERE d.client_id = o.client_id
            AND d.id = o.id
            AND NOT EXISTS (
                SELECT FROM public.interviews AS i
                WHERE i.client_id = o.client_id
                    AND i.id = o.id
                    AND i.usable
            );
    END IF;
    IF TG_OP IN ('UPDATE', 'INSERT') THEN
        INSERT INTO public.search_documents AS d (client_id, id, campaign_id, created_at, folded)
        SELECT
            n.client_id,
            n.id,
            n.campaign_id,
            n.created_at,
            public.searched_text(n.custom_extraction, n.best_quote)
        FROM new_rows AS n
        WHERE n.usable
        ON CONFLICT (client_id, id) DO UPDATE
        SET campaign_id = excluded.campaign_id,
            created_at = excluded.created_at,
            folded = excluded.folded,
            indexed = false
        WHERE (d.campaign_id, d.created_at, d.folded)
            IS DISTINCT FROM (excluded.campaign_id, excluded.created_at, excluded.folded);
    END IF;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER keep_search_documents_on_insert AFTER INSERT ON interviews
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_search_documents();
CREATE TRIGGER keep_search_documents_on_update AFTER UPDATE ON interviews
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_search_documents();
CREATE TRIGGER keep_search_documents_on_delete AFTER DELETE ON interviews
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION keep_search_documents();
CREATE TRIGGER keep_search_documents_on_truncate AFTER TRUNCATE ON interviews
    FOR EACH STATEMENT EXECUTE FUNCTION keep_search_documents();

ALTER TABLE interviews ENABLE ALWAYS TRIGGER keep_search_documents_on_insert;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER keep_search_documents_on_update;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER keep_search_documents_on_delete;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER keep_search_documents_on_truncate;

INSERT INTO search_documents (client_id, id, campaign_id, created_at, folded)
SELECT i.client_id, i.id, i.campaign_id, i.created_at, searched_text(i.custom_extraction, i.best_quote)
FROM interviews AS i
WHERE i.usable;

CREATE INDEX search_documents_page ON search_documents (client_id, created_at DESC, id);
CREATE INDEX search_documents_campaign_page ON search_documents (client_id, campaign_id, created_at DESC, id);
CREATE INDEX search_documents_not_indexed ON search_documents (client_id, created_at) WHERE NOT indexed;

-- check_search_is_kept refuses to search while a trigger above is off: the answer
-- could be wrong, and nobody would see it.
-- +goose StatementBegin
CREATE FUNCTION check_search_is_kept() RETURNS void
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF (
        SELECT count(*)
        FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = 'public.interviews'::regclass
            AND t.tgname IN (
                'keep_search_documents_on_insert',
                'keep_search_documents_on_update',
                'keep_search_documents_on_delete',
                'keep_search_documents_on_truncate'
            )
            AND t.tgenabled = 'A'
    ) <> 4 THEN
        RAISE EXCEPTION 'a trigger that keeps search documents is switched off'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'ALTER TABLE interviews ENABLE ALWAYS TRIGGER keep_search_documents_on_…; then SELECT mend_search_documents(client) for each client.';
    END IF;
END;
$$;
-- +goose StatementEnd

-- mend_search_documents makes up for writes while a trigger was off, and returns
-- how many documents were amiss. It locks the client's interviews against
-- changes: a document must not be made of a version that is gone by then.
-- +goose StatementBegin
CREATE FUNCTION mend_search_documents(mended_client uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    removed bigint;
    written bigint;
BEGIN
    DELETE FROM public.search_documents AS d
    WHERE d.client_id = mended_client
        AND NOT EXISTS (
            SELECT FROM public.interviews AS i
            WHERE i.client_id = d.client_id
                AND i.id = d.id
                AND i.usable
        );
    GET DIAGNOSTICS removed = ROW_COUNT;
    INSERT INTO public.search_documents AS d (client_id, id, campaign_id, created_at, folded)
    SELECT
        i.client_id,
        i.id,
        i.campaign_id,
        i.created_at,
        public.searched_text(i.custom_extraction, i.best_quote)
    FROM public.interviews AS i
    WHERE i.client_id = mended_client
        AND i.usable
    FOR SHARE OF i
    ON CONFLICT (client_id, id) DO UPDATE
    SET campaign_id = excluded.campaign_id,
        created_at = excluded.created_at,
        folded = excluded.folded,
        indexed = false
    WHERE (d.campaign_id, d.created_at, d.folded)
        IS DISTINCT FROM (excluded.campaign_id, excluded.created_at, excluded.folded);
    GET DIAGNOSTICS written = ROW_COUNT;
    RETURN removed + written;
END;
$$;
-- +goose StatementEnd

-- The fields of a usable interview that search looks into and shows.
CREATE VIEW searched_interviews WITH (security_invoker = true) AS
SELECT
    client_id,
    id,
    campaign_id,
    coalesce(extracted_text(custom_extraction -> 'best_quote'), best_quote) AS best_quote,
    extracted_text(custom_extraction -> 'primary_pain_points') AS primary_pain_points,
    extracted_text(custom_extraction -> 'feature_requests') AS feature_requests,
    extracted_text(custom_extraction -> 'product_feedback') AS product_feedback,
    extracted_text(custom_extraction -> 'competitor_mentions') AS competitor_mentions
FROM usable_interviews;

REVOKE EXECUTE ON FUNCTION mend_search_documents FROM PUBLIC;
GRANT SELECT ON search_documents, searched_interviews TO clientintel_server;

-- +goose Down
DROP VIEW searched_interviews;
DROP TRIGGER keep_search_documents_on_truncate ON interviews;
DROP TRIGGER keep_search_documents_on_delete ON interviews;
DROP TRIGGER keep_search_documents_on_update ON interviews;
DROP TRIGGER keep_search_documents_on_insert ON interviews;
DROP FUNCTION mend_search_documents;
DROP FUNCTION check_search_is_kept;
DROP FUNCTION keep_search_documents;
DROP TABLE search_documents;
DROP FUNCTION searched_text;
DROP FUNCTION extracted_text;
DROP FUNCTION fold_text;
