-- What a document costs its writer, halved: texts are put together and folded
-- with fewer calls, and there is one index less to write to. Every document stays
-- as it is. Locks search documents while their indexes are built anew.

-- +goose Up

-- fold_text as it was, but it looks for capitals before it takes them out.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION fold_text(original text) RETURNS text
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
        met text;
    BEGIN
        IF folded ~ ('[' || capitals || ']') THEN
            -- Few, and translate() walks its list for each letter of the text.
            met := regexp_replace(folded, '[^' || capitals || ']+', '', 'g');
            folded := translate(folded, met, translate(met, capitals, small));
        END IF;
        RETURN replace(folded, U&'\FFFF', U&'\FFFD');
    END;
END;
$$;
-- +goose StatementEnd

-- listed_text is a list as its strings, null when it has none. A list of nothing
-- but strings in which nothing is escaped is read off as it is written.
-- +goose StatementBegin
CREATE FUNCTION listed_text(list jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    joined CONSTANT text := replace(list::text, '", "', '; ');
    plain CONSTANT text := split_part(joined, '"', 2);
BEGIN
    IF '["' || plain || '"]' = joined AND strpos(plain, '\') = 0 THEN
        RETURN plain;
    END IF;
    RETURN (
        SELECT string_agg(e.element #>> '{}', '; ' ORDER BY e.place)
        FROM jsonb_array_elements(list) WITH ORDINALITY AS e (element, place)
        WHERE jsonb_typeof(e.element) = 'string'
    );
END;
$$;
-- +goose StatementEnd

-- One expression, and not strict, so that it becomes a part of its caller's.
CREATE OR REPLACE FUNCTION extracted_text(value jsonb) RETURNS text
LANGUAGE sql IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
RETURN CASE jsonb_typeof(value)
    WHEN 'string' THEN value #>> '{}'
    WHEN 'array' THEN public.listed_text(value)
END;

-- The fields are folded together, with a character between them that folding
-- leaves alone and hardly any text holds; one by one where it does.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION searched_text(extraction jsonb, best_quote text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    fields CONSTANT text :=
        coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote, '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'primary_pain_points'), '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'feature_requests'), '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'product_feedback'), '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'competitor_mentions'), '');
BEGIN
    IF octet_length(replace(fields, E'\x01', '')) = octet_length(fields) - 4 THEN
        RETURN replace(public.fold_text(fields), E'\x01', U&'\FFFF');
    END IF;
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

-- Documents are found by the key of their order. One of another time than its
-- interview's would be a stray, and readers tell.
ALTER TABLE search_documents DROP CONSTRAINT search_documents_pkey;
DROP INDEX search_documents_page;
CREATE UNIQUE INDEX search_documents_page ON search_documents (client_id, created_at DESC, id);
-- A client's new documents stand in it as they stand in the table, so that a
-- writer only ever appends.
DROP INDEX search_documents_not_indexed;
CREATE INDEX search_documents_not_indexed ON search_documents (client_id) WHERE NOT indexed;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_search_documents() RETURNS trigger
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
            AND d.created_at = o.created_at
            AND d.id = o.id
            AND NOT EXISTS (
                SELECT FROM public.interviews AS i
                WHERE i.client_id = o.client_id
                    AND i.id = o.id
                    AND i.created_at = o.created_at
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
        ON CONFLICT (client_id, created_at, id) DO UPDATE
        SET campaign_id = excluded.campaign_id,
            folded = excluded.folded,
            indexed = false
        WHERE (d.campaign_id, d.folded) IS DISTINCT FROM (excluded.campaign_id, excluded.folded);
    END IF;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION mend_search_documents(mended_client uuid) RETURNS bigint
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
                AND i.created_at = d.created_at
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
    ON CONFLICT (client_id, created_at, id) DO UPDATE
    SET campaign_id = excluded.campaign_id,
        folded = excluded.folded,
        indexed = false
    WHERE (d.campaign_id, d.folded) IS DISTINCT FROM (excluded.campaign_id, excluded.folded);
    GET DIAGNOSTICS written = ROW_COUNT;
    RETURN removed + written;
END;
$$;
-- +goose StatementEnd

-- As it was, but what was written first is indexed first: the index of what is
-- outside has it in that order. Null says that another call is at work.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION index_search_documents(whole_reads bigint, keep bigint, max_documents integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
SET enable_seqscan = off SET enable_bitmapscan = off
-- All at once at the end costs less than half of bit by bit.
SET gin_pending_list_limit = '256MB' AS $$
DECLARE
    large record;
    surplus bigint;
    here integer;
    done integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel index_search_documents', 0)) THEN
        RETURN NULL;
    END IF;
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > whole_reads LOOP
        SELECT count(*) - keep INTO surplus
        FROM (
            SELECT
            FROM public.search_documents AS d
            WHERE d.client_id = large.client_id
                AND NOT d.indexed
            LIMIT keep + max_documents - done
        ) AS outside;
        CONTINUE WHEN surplus <= 0;
        -- A document that somebody is writing is left to the next time.
        UPDATE public.search_documents AS d
        SET indexed = true
        WHERE d.ctid = ANY (ARRAY(
            SELECT s.ctid
            FROM public.search_documents AS s
            WHERE s.client_id = large.client_id
                AND NOT s.indexed
            LIMIT surplus
            FOR UPDATE SKIP LOCKED
        ));
        GET DIAGNOSTICS here = ROW_COUNT;
        done := done + here;
        EXIT WHEN done >= max_documents;
    END LOOP;
    IF done > 0 THEN
        -- Else each search reads the list of what is pending.
        PERFORM gin_clean_pending_list('public.search_documents_trigrams');
    END IF;
    RETURN done;
END;
$$;
-- +goose StatementEnd

CREATE OR REPLACE VIEW searched_interviews WITH (security_invoker = true) AS
SELECT
    client_id,
    id,
    campaign_id,
    coalesce(extracted_text(custom_extraction -> 'best_quote'), best_quote) AS best_quote,
    extracted_text(custom_extraction -> 'primary_pain_points') AS primary_pain_points,
    extracted_text(custom_extraction -> 'feature_requests') AS feature_requests,
    extracted_text(custom_extraction -> 'product_feedback') AS product_feedback,
    extracted_text(custom_extraction -> 'competitor_mentions') AS competitor_mentions,
    created_at
FROM usable_interviews;

-- +goose Down
DROP VIEW searched_interviews;
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
GRANT SELECT ON searched_interviews TO clientintel_server;
DROP INDEX search_documents_not_indexed;
CREATE INDEX search_documents_not_indexed ON search_documents (client_id, created_at) WHERE NOT indexed;
DROP INDEX search_documents_page;
CREATE INDEX search_documents_page ON search_documents (client_id, created_at DESC, id);
ALTER TABLE search_documents ADD PRIMARY KEY (client_id, id);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION index_search_documents(whole_reads bigint, keep bigint, max_documents integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
-- All at once at the end costs less than half of bit by bit.
SET gin_pending_list_limit = '256MB' AS $$
DECLARE
    large record;
    newest_surplus timestamptz;
    here integer;
    done integer := 0;
BEGIN
    -- One at a time; who comes second has nothing left to do.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel index_search_documents', 0)) THEN
        RETURN 0;
    END IF;
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > whole_reads LOOP
        SELECT d.created_at INTO newest_surplus
        FROM public.search_documents AS d
        WHERE d.client_id = large.client_id
            AND NOT d.indexed
        ORDER BY d.created_at DESC
        OFFSET keep
        LIMIT 1;
        CONTINUE WHEN NOT FOUND;
        -- A document that somebody is writing is left to the next time.
        UPDATE public.search_documents AS d
        SET indexed = true
        FROM (
            SELECT s.client_id, s.id
            FROM public.search_documents AS s
            WHERE s.client_id = large.client_id
                AND s.created_at <= newest_surplus
                AND NOT s.indexed
            ORDER BY s.created_at
            LIMIT max_documents - done
            FOR UPDATE SKIP LOCKED
        ) AS surplus
        WHERE d.client_id = surplus.client_id
            AND d.id = surplus.id;
        GET DIAGNOSTICS here = ROW_COUNT;
        done := done + here;
        EXIT WHEN done >= max_documents;
    END LOOP;
    IF done > 0 THEN
        -- Else each search reads the list of what is pending.
        PERFORM gin_clean_pending_list('public.search_documents_trigrams');
    END IF;
    RETURN done;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION mend_search_documents(mended_client uuid) RETURNS bigint
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_search_documents() RETURNS trigger
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION searched_text(extraction jsonb, best_quote text) RETURNS text
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

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION extracted_text(value jsonb) RETURNS text
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
DROP FUNCTION listed_text;
-- fold_text stays: it does what it did.
