-- Search: what can be found of each usable interview, with its case folded once
-- when it is written, kept by the database in the writer's own transaction, for every
-- writer. Documents are read in their order along an index, which costs the more
-- the rarer the hits are; from an index of trigrams, which costs the more the
-- commoner they are; or all at once, where neither narrows the query down.
-- Locks nothing: the table is new, and interviews is empty.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    -- Looked for first: IF NOT EXISTS, too, is refused where its owner is another.
    IF NOT EXISTS (SELECT 1 FROM pg_extension AS e WHERE e.extname = 'pg_trgm') THEN
        CREATE EXTENSION pg_trgm;
    END IF;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the extension pg_trgm is missing and % may not create it: grant the owner CREATE on the database, or let an administrator run CREATE EXTENSION pg_trgm',
            current_user;
    WHEN undefined_file OR feature_not_supported THEN
        RAISE EXCEPTION 'the extension pg_trgm is not installed on the database server: install PostgreSQL''s contrib modules there (the package is often called postgresql-contrib)';
END;
$$;
-- +goose StatementEnd

-- fold_case is Unicode's simple case folding (15.0.0): the letters that differ in
-- nothing but case become one of them, whatever the place and the language. Accents
-- and ß stay. The letters are listed, as lower() depends on the server's C library,
-- its ICU and the database's locale; a test makes the lists from Go's tables. The
-- noncharacter U+FFFF, which keeps folded fields apart, becomes U+FFFD.
-- +goose StatementBegin
CREATE FUNCTION fold_case(original text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    folded text COLLATE "C" := lower(original COLLATE "C");
BEGIN
    IF octet_length(folded) = char_length(folded) THEN
        RETURN folded;
    END IF;
    DECLARE
        variants CONSTANT text COLLATE "C" :=
            'µÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽſƁƂ'
            'ƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾ'
            'ɁɃɄɅɆɈɊɌɎͅͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϐϑϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГД'
            'ЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰ'
            'ӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺ'
            'ႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲ'
            'ᏳᏴᏵᲀᲁᲂᲃᲄᲅᲆᲇᲈᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊ'
            'ṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẛẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘ'
            'ἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼιῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼΩKÅℲⅠⅡⅢⅣ'
            'ⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮ'
            'ⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚ'
            'ꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐꟖꟘꟵＡＢＣＤＥＦＧＨＩＪ'
            'ＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳'
            '𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭'
            '𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡';
        letters CONSTANT text COLLATE "C" :=
            'μàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžsɓƃ'
            'ƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦ'
            'ɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗβθφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгд'
            'ежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱ'
            'ӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚ'
            'ⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺ'
            'ᏻᏼᏽвдосттъѣꙋაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋ'
            'ṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕṡßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐ'
            'ἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳιὲέὴήῃῐῑὶίῠῡὺύῥὸόὼώῳωkåⅎⅰⅱⅲⅳ'
            'ⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱ'
            'ɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛ'
            'ꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑꟗꟙꟶａｂｃｄｅｆｇｈｉｊ'
            'ｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚'
            '𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍'
            '𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃';
        variant CONSTANT text COLLATE "C" := '[' || variants || ']';
        met text COLLATE "C";
        block integer;
    BEGIN
        -- translate() walks its list for each character of the text. So it gets the
        -- 32 variants around one that the text holds, and no block of them twice:
        -- the time is linear in the text.
        LOOP
            met := substring(folded FROM variant);
            EXIT WHEN met IS NULL;
            block := (strpos(variants, met) - 1) / 32 * 32 + 1;
            folded := translate(folded, substr(variants, block, 32), substr(letters, block, 32));
        END LOOP;
        RETURN replace(folded, U&'\FFFF', U&'\FFFD');
    END;
END;
$$;
-- +goose StatementEnd

-- join_json_strings is a list as its strings, null when it has none. A list of nothing
-- but strings in which nothing is escaped is read off as it is written.
-- +goose StatementBegin
CREATE FUNCTION join_json_strings(list jsonb) RETURNS text
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

-- extracted_text is a field of the extraction as text: a string as it is, a list
-- as its strings, anything else null. One expression, and not strict, so that the
-- planner puts it in place of the call.
CREATE FUNCTION extracted_text(value jsonb) RETURNS text
LANGUAGE sql IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
RETURN CASE jsonb_typeof(value)
    WHEN 'string' THEN value #>> '{}'
    WHEN 'array' THEN public.join_json_strings(value)
END;

-- searched_text is what search looks into: the five fields, folded, with U+FFFF
-- between them, which no folded text holds. So nothing matches across fields.
-- Texts of letters that lower() folds, and of others that fold to themselves, are
-- folded all together: nothing but ASCII, of which the four U+FFFF differ by two
-- bytes each; or small letters of Latin-1 and punctuation too. Others still
-- together, with a character between them that folding leaves alone and hardly any
-- text holds; one by one where a text holds it, or U+FFFF.
-- +goose StatementBegin
CREATE FUNCTION searched_text(extraction jsonb, best_quote text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    folded CONSTANT text COLLATE "C" := lower(concat(
        coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote), U&'\FFFF',
        public.extracted_text(extraction -> 'primary_pain_points'), U&'\FFFF',
        public.extracted_text(extraction -> 'feature_requests'), U&'\FFFF',
        public.extracted_text(extraction -> 'product_feedback'), U&'\FFFF',
        public.extracted_text(extraction -> 'competitor_mentions')
    ) COLLATE "C");
BEGIN
    IF octet_length(folded) = char_length(folded) + 8
        OR folded ~ '^(?:[\u0001-\u00b4\u00b6-\u00bf\u00d7\u00df-\u00ff\u2000-\u20ff]*\uffff){4}[\u0001-\u00b4\u00b6-\u00bf\u00d7\u00df-\u00ff\u2000-\u20ff]*$'
    THEN
        RETURN folded;
    END IF;
    IF octet_length(replace(folded, U&'\FFFF', '')) = octet_length(folded) - 12 AND strpos(folded, E'\x01') = 0 THEN
        RETURN replace(public.fold_case(replace(folded, U&'\FFFF', E'\x01')), E'\x01', U&'\FFFF');
    END IF;
    RETURN array_to_string(
        ARRAY[
            public.fold_case(coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote)),
            public.fold_case(public.extracted_text(extraction -> 'primary_pain_points')),
            public.fold_case(public.extracted_text(extraction -> 'feature_requests')),
            public.fold_case(public.extracted_text(extraction -> 'product_feedback')),
            public.fold_case(public.extracted_text(extraction -> 'competitor_mentions'))
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
    -- so a writer never waits for it; index_search_documents does it later.
    indexed boolean NOT NULL DEFAULT false
) WITH (toast_tuple_target = 8160); -- A document out of line costs each scan a look-up.

-- Nested loops only: whatever is known of a table that is being filled, a
-- statement's rows are found in it one by one, and never all of it is read.
-- +goose StatementBegin
CREATE FUNCTION maintain_search_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        DELETE FROM public.search_documents AS d
        USING old_rows AS o
        WHERE d.client_id = o.client_id
            AND d.created_at = o.created_at
            AND d.id = o.id
            AND NOT EXISTS (
                SELECT 1 FROM public.interviews AS i
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

CREATE TRIGGER maintain_search_documents_on_insert AFTER INSERT ON interviews
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION maintain_search_documents();
CREATE TRIGGER maintain_search_documents_on_update AFTER UPDATE ON interviews
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION maintain_search_documents();
CREATE TRIGGER maintain_search_documents_on_delete AFTER DELETE ON interviews
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION maintain_search_documents();

ALTER TABLE interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_insert;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_update;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_delete;

-- Documents are found by the key of their order. One of another time than its
-- interview's would belong to no interview, and readers tell.
CREATE UNIQUE INDEX search_documents_page ON search_documents (client_id, created_at DESC, id);

CREATE INDEX search_documents_campaign_page ON search_documents (client_id, campaign_id, created_at DESC, id);

CREATE INDEX search_documents_not_indexed ON search_documents (client_id) WHERE NOT indexed;

-- has_trigrams tells whether the trigram index can narrow a search down: whether
-- three characters in a row are letters or digits to it. It alone can tell, as
-- that is a matter of the database's locale.
-- +goose StatementBegin
CREATE FUNCTION has_trigrams(needle text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
    RETURN (
        SELECT string_agg(CASE WHEN cardinality(show_trgm(c.letter)) > 0 THEN 'x' ELSE ' ' END, '' ORDER BY c.place)
            LIKE '%xxx%'
        FROM string_to_table(needle, NULL) WITH ORDINALITY AS c (letter, place)
    );
END;
$$;
-- +goose StatementEnd

-- The extension may be there already, in a schema of its own. The client stands
-- in the index as a list: lists need no further extension, and no other index
-- answers a condition on one, so that the planner has no choice.
-- +goose StatementBegin
DO $$
DECLARE
    home CONSTANT text := (
        SELECT n.nspname
        FROM pg_extension AS e
        JOIN pg_namespace AS n ON n.oid = e.extnamespace
        WHERE e.extname = 'pg_trgm'
    );
BEGIN
    EXECUTE format(
        'CREATE INDEX search_documents_trigrams ON search_documents
        USING gin ((ARRAY[client_id]), folded %I.gin_trgm_ops) WHERE indexed',
        home
    );
    EXECUTE format('ALTER FUNCTION has_trigrams(text) SET search_path = pg_catalog, %I, pg_temp', home);
END;
$$;
-- +goose StatementEnd

-- check_search_triggers refuses to search while a trigger above is off: the answer
-- could be wrong without an error.
-- +goose StatementBegin
CREATE FUNCTION check_search_triggers() RETURNS void
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF (
        SELECT count(*)
        FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = 'public.interviews'::regclass
            AND t.tgname IN (
                'maintain_search_documents_on_insert',
                'maintain_search_documents_on_update',
                'maintain_search_documents_on_delete'
            )
            AND t.tgenabled = 'A'
    ) <> 3 THEN
        RAISE EXCEPTION 'a trigger that keeps search documents is switched off'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'ALTER TABLE interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_…; then SELECT rebuild_search_documents(client) for each client.';
    END IF;
END;
$$;
-- +goose StatementEnd

-- rebuild_search_documents makes up for writes while a trigger was off, and returns
-- how many documents were wrong. It locks the client's interviews against
-- changes: a document must not be made of a version that is gone by then.
-- +goose StatementBegin
CREATE FUNCTION rebuild_search_documents(rebuilt_client uuid) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed bigint;
    written bigint;
BEGIN
    DELETE FROM public.search_documents AS d
    WHERE d.client_id = rebuilt_client
        AND NOT EXISTS (
            SELECT 1 FROM public.interviews AS i
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
    WHERE i.client_id = rebuilt_client
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
    extracted_text(custom_extraction -> 'competitor_mentions') AS competitor_mentions,
    created_at
FROM usable_interviews;

-- campaign_id_by_slug is the client's campaign with the slug; null when there is none.
-- +goose StatementBegin
CREATE FUNCTION campaign_id_by_slug(client uuid, campaign_slug text) RETURNS uuid
LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
    RETURN (
        SELECT c.id
        FROM public.campaigns AS c
        WHERE c.client_id = client
            AND c.slug = campaign_slug
    );
END;
$$;
-- +goose StatementEnd

-- matched_fields are the numbers of the fields, from 1, that hold the needle.
-- +goose StatementBegin
CREATE FUNCTION matched_fields(folded text, needle text) RETURNS integer[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
    SELECT array_agg(f.number::integer ORDER BY f.number)
    FROM string_to_table(folded, U&'\FFFF') WITH ORDINALITY AS f (field, number)
    WHERE strpos(f.field, needle) > 0
);
-- +goose StatementEnd

-- scan_search_documents reads the newest max_rows documents (null: all) of a
-- client, or of its campaign with the slug, and returns the newest max_hits that
-- hold the query. The settings leave one plan, whatever the statistics say:
-- along the index, in order.
-- +goose StatementBegin
CREATE FUNCTION scan_search_documents(client uuid, campaign_slug text, query text, max_hits integer, max_rows bigint)
RETURNS SETOF search_documents
LANGUAGE plpgsql STABLE ROWS 50 SET search_path = pg_catalog, pg_temp
SET enable_indexscan = on SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    needle CONSTANT text := public.fold_case(query);
    campaign CONSTANT uuid := public.campaign_id_by_slug(client, campaign_slug);
BEGIN
    PERFORM public.check_search_triggers();
    IF campaign_slug IS NOT NULL AND campaign IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT n.*
    FROM (
        SELECT d.*
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
        ORDER BY d.created_at DESC, d.id
        LIMIT max_rows
    ) AS n
    WHERE strpos(n.folded, needle) > 0
    ORDER BY n.created_at DESC, n.id
    LIMIT max_hits;
END;
$$;
-- +goose StatementEnd

-- has_older_search_documents tells whether a scan of max_rows leaves documents unread.
-- +goose StatementBegin
CREATE FUNCTION has_older_search_documents(client uuid, campaign_slug text, max_rows bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off
SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    campaign CONSTANT uuid := public.campaign_id_by_slug(client, campaign_slug);
BEGIN
    RETURN (campaign_slug IS NULL OR campaign IS NOT NULL) AND EXISTS (
        SELECT 1
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
        OFFSET max_rows
    );
END;
$$;
-- +goose StatementEnd

-- trigrams_are_selective tells whether a trigram of the needle is missing in most of the
-- client's newest documents. When each of them is nearly everywhere, the index
-- costs twice what reading everything costs.
-- +goose StatementBegin
CREATE FUNCTION trigrams_are_selective(client uuid, needle text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_indexscan = on SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN coalesce((
        WITH newest AS MATERIALIZED (
            SELECT d.folded
            FROM public.search_documents AS d
            WHERE d.client_id = client
            ORDER BY d.created_at DESC, d.id
            LIMIT 500
        ),

        pieces AS (
            SELECT DISTINCT p.piece
            FROM generate_series(1, least(length(needle) - 2, 32)) AS s (place)
            CROSS JOIN LATERAL (SELECT substr(needle, s.place, 3) AS piece) AS p
            WHERE public.has_trigrams(p.piece)
        ),

        shares AS (
            SELECT avg((strpos(n.folded, p.piece) > 0)::integer) AS share
            FROM pieces AS p
            CROSS JOIN newest AS n
            GROUP BY p.piece
        )

        SELECT min(s.share) < 0.4
        FROM shares AS s
    ), true);
END;
$$;
-- +goose StatementEnd

-- find_search_documents answers for all of a client's documents: from the
-- trigrams of those in the index, reading the others; all of them where trigrams
-- do not narrow the query down. The owner reads here, as a row-level policy would
-- keep LIKE away from the index; so it answers for the transaction's client alone.
-- +goose StatementBegin
CREATE FUNCTION find_search_documents(client uuid, campaign_slug text, query text, max_hits integer)
RETURNS SETOF search_documents
LANGUAGE plpgsql STABLE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
-- A bitmap of a large client's pages stays exact in that much.
SET work_mem = '16MB' SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    needle CONSTANT text := public.fold_case(query);
    pattern CONSTANT text := '%' || regexp_replace(needle, '([\\%_])', '\\\1', 'g') || '%';
    campaign CONSTANT uuid := public.campaign_id_by_slug(client, campaign_slug);
BEGIN
    IF client IS DISTINCT FROM nullif(current_setting('clientintel.client_id', true), '')::uuid THEN
        RAISE EXCEPTION 'another client than the transaction''s is searched' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM public.check_search_triggers();
    IF campaign_slug IS NOT NULL AND campaign IS NULL THEN
        RETURN;
    END IF;
    IF NOT public.has_trigrams(needle) OR NOT public.trigrams_are_selective(client, needle) THEN
        -- The table as it lies, when most of it is the client's; else its pages.
        IF campaign IS NULL AND (
            SELECT 2 * sum(s.members) FILTER (WHERE s.client_id = client) > sum(s.members)
            FROM public.measurement_states AS s
        ) THEN
            PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
        END IF;
        RETURN QUERY
        SELECT d.*
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
            AND strpos(d.folded, needle) > 0
        ORDER BY d.created_at DESC, d.id
        LIMIT max_hits;
        RETURN;
    END IF;
    -- IS TRUE keeps the campaign's own index out of both plans: it holds all of
    -- a campaign, however little is wanted of it.
    RETURN QUERY
    SELECT n.*
    FROM (
        (
            SELECT d.*
            FROM public.search_documents AS d
            WHERE d.indexed
                AND ARRAY[d.client_id] @> ARRAY[client]
                AND d.folded LIKE pattern
                AND (campaign IS NULL OR (d.campaign_id = campaign) IS TRUE)
            ORDER BY d.created_at DESC, d.id
            LIMIT max_hits
        )
        UNION ALL
        (
            SELECT d.*
            FROM public.search_documents AS d
            WHERE NOT d.indexed
                AND d.client_id = client
                AND strpos(d.folded, needle) > 0
                AND (campaign IS NULL OR (d.campaign_id = campaign) IS TRUE)
            ORDER BY d.created_at DESC, d.id
            LIMIT max_hits
        )
    ) AS n
    ORDER BY n.created_at DESC, n.id
    LIMIT max_hits;
END;
$$;
-- +goose StatementEnd

-- index_search_documents puts up to max_documents documents into the trigram
-- index, and returns how many; null when another call is at work. What was written
-- first is indexed first: the index of what is outside has it in that order.
-- Clients of up to scan_limit documents have no use for it; the others keep the
-- newest keep_outside out of it, as indexing a few at a time costs more than
-- reading them.
-- +goose StatementBegin
CREATE FUNCTION index_search_documents(
    scan_limit bigint, keep_outside bigint, max_documents integer,
    OUT added integer
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off
-- All at once at the end costs less than half of bit by bit.
SET gin_pending_list_limit = '256MB' AS $$
DECLARE
    large record;
    surplus bigint;
    of_client integer;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel index_search_documents', 0)) THEN
        RETURN;
    END IF;
    added := 0;
    PERFORM public.merge_measurement_changes();
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > scan_limit LOOP
        SELECT count(*) - keep_outside INTO surplus
        FROM (
            SELECT 1
            FROM public.search_documents AS d
            WHERE d.client_id = large.client_id
                AND NOT d.indexed
            LIMIT keep_outside + max_documents - added
        ) AS outside;
        CONTINUE WHEN surplus <= 0;
        -- A document that is being written is left to the next time.
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
        GET DIAGNOSTICS of_client = ROW_COUNT;
        added := added + of_client;
        EXIT WHEN added >= max_documents;
    END LOOP;
    IF added > 0 THEN
        -- Else each search reads the list of what is pending.
        PERFORM gin_clean_pending_list('public.search_documents_trigrams');
    END IF;
END;
$$;
-- +goose StatementEnd

-- read_health is what a server's metrics tell of the database: sums over all
-- clients, which the server's role does not see. Of a large client it counts no
-- more than a hundred thousand documents.
-- +goose StatementBegin
CREATE FUNCTION read_health(
    scan_limit bigint, keep_outside bigint,
    OUT search_backlog bigint, OUT future_requests bigint, OUT last_import timestamptz, OUT expiring_keys bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    large record;
BEGIN
    search_backlog := 0;
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > scan_limit LOOP
        search_backlog := search_backlog + greatest((
            SELECT count(*)
            FROM (
                SELECT 1
                FROM public.search_documents AS d
                WHERE d.client_id = large.client_id
                    AND NOT d.indexed
                LIMIT keep_outside + 100000
            ) AS outside
        ) - keep_outside, 0);
    END LOOP;
    -- Left behind by a clock that was ahead and was set back. By key, as the log has
    -- no index by time; requests with unknown prefixes have the blank client.
    SELECT coalesce(sum(f.requests), 0) INTO future_requests
    FROM public.api_keys AS k
    CROSS JOIN LATERAL (
        SELECT count(*) AS requests
        FROM public.request_log AS l
        WHERE l.client_id = coalesce(k.client_id, '00000000-0000-0000-0000-000000000000')
            AND l.key_id = k.id
            AND l.at > statement_timestamp() + interval '1 second'
    ) AS f;
    SELECT max(i.finished_at) INTO last_import
    FROM public.imports AS i;
    SELECT count(*) INTO expiring_keys
    FROM public.api_keys AS k
    WHERE k.expires_at > now()
        AND k.expires_at <= now() + interval '14 days'
        AND (k.revoked_at IS NULL OR k.revoked_at > now());
END;
$$;
-- +goose StatementEnd

ALTER TABLE search_documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON search_documents
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON search_documents TO CURRENT_USER USING (true) WITH CHECK (true);

REVOKE EXECUTE ON FUNCTION rebuild_search_documents, find_search_documents, index_search_documents, read_health FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_search_documents, index_search_documents, read_health TO clientintel_server;
GRANT SELECT ON search_documents, searched_interviews TO clientintel_server;

-- +goose Down
DROP FUNCTION read_health;
DROP FUNCTION index_search_documents;
DROP FUNCTION find_search_documents;
DROP FUNCTION trigrams_are_selective;
DROP FUNCTION has_older_search_documents;
DROP FUNCTION scan_search_documents;
DROP FUNCTION matched_fields;
DROP FUNCTION campaign_id_by_slug;
DROP VIEW searched_interviews;
DROP FUNCTION rebuild_search_documents;
DROP FUNCTION check_search_triggers;
DROP TRIGGER maintain_search_documents_on_delete ON interviews;
DROP TRIGGER maintain_search_documents_on_update ON interviews;
DROP TRIGGER maintain_search_documents_on_insert ON interviews;
DROP FUNCTION maintain_search_documents;
DROP TABLE search_documents;
DROP FUNCTION has_trigrams;
DROP FUNCTION searched_text;
DROP FUNCTION extracted_text;
DROP FUNCTION join_json_strings;
DROP FUNCTION fold_case;
-- pg_trgm stays: it may have been there before.
